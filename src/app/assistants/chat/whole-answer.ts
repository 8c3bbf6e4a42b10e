// Converts between whole answers and their parts.

import type { AnswerUsage, FinishReason } from '../../../domain/inference/language-model.ts';
import type { Answer, Quote } from './answer-model.ts';
import type { AnswerPart } from './chat-provider.ts';

export interface WholeAnswer extends Answer {
  readonly finishReason: FinishReason;
  readonly usage: AnswerUsage;
}

/** @throws what the parts throw */
export async function wholeAnswer(parts: AsyncIterable<AnswerPart>): Promise<WholeAnswer> {
  let content = '';
  const quotes: Quote[] = [];
  for await (const part of parts) {
    if (part.type === 'text') content += part.text;
    else if (part.type === 'quote') quotes.push({ position: content.length, passages: part.passages });
    else return { content, quotes, finishReason: part.finishReason, usage: part.usage };
  }
  throw new Error('an answer has no end');
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
