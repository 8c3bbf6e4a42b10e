// Converts between whole answers and their parts.

import type { AnswerUsage, FinishReason, ToolCallDelta } from '../../../domain/inference/language-model.ts';
import type { Answer, Quote } from './answer-model.ts';
import type { AnswerPart } from './chat-provider.ts';

export interface WholeAnswer extends Answer {
  readonly finishReason: FinishReason;
  readonly usage: AnswerUsage;
  /** Said instead of an answer; empty unless the model refused. */
  readonly refusal: string;
  /** Whole calls of tools, in their order. */
  readonly toolCalls: readonly ToolCallDelta[];
}

/** @throws what the parts throw */
export async function wholeAnswer(parts: AsyncIterable<AnswerPart>): Promise<WholeAnswer> {
  let content = '';
  let refusal = '';
  const quotes: Quote[] = [];
  const deltas: ToolCallDelta[] = [];
  for await (const part of parts) {
    if (part.type === 'text') content += part.text;
    else if (part.type === 'quote') quotes.push({ position: content.length, passages: part.passages });
    else if (part.type === 'refusal') refusal += part.text;
    else if (part.type === 'tool-calls') deltas.push(...part.calls);
    else {
      const { finishReason, usage } = part;
      return { content, refusal, quotes, finishReason, usage, toolCalls: joinedCalls(deltas) };
    }
  }
  throw new Error('an answer has no end');
}

/** Joins the parts of each call. */
export function joinedCalls(deltas: readonly ToolCallDelta[]): readonly ToolCallDelta[] {
  const byIndex = Map.groupBy(deltas, ({ index }) => index);
  return [...byIndex].map(([index, parts]) => ({
    index,
    id: parts.find(({ id }) => id !== undefined)?.id,
    name: parts.find(({ name }) => name !== undefined)?.name,
    arguments: parts.map((part) => part.arguments).join(''),
  }));
}

/** Returns the parts of a whole answer, without the end. */
export function* partsOf({ content, quotes }: Answer): Generator<AnswerPart> {
  let at = 0;
  for (const { position, passages } of quotes) {
    if (position > at) yield { type: 'text', text: content.slice(at, position) };
    yield { type: 'quote', passages };
    at = position;
  }
  if (at < content.length) yield { type: 'text', text: content.slice(at) };
}
