// The shapes of the OpenAI-like completions call, whose answers carry their citations inside of the text.
import { type Answer, pagesOf } from '../answer-model.ts';
import type { FinishReason, ReplyHead, UsageShape } from './chat.ts';
import { piecesOf } from './event-stream.ts';

export interface CompletionReply extends ReplyHead {
  readonly content: string;
  readonly usage: UsageShape;
  readonly finishReason: FinishReason;
}

const REFERENCES = '\n\nReferences:';

/**
 * The content with a mark like `[1, pp. 3]` behind each quote, and the files the numbers stand for.
 * @param nameOf the name of a file; one that is gone by now is cited no more
 */
export function withMarks(
  { content, quotes }: Answer,
  nameOf: (fileId: string) => string | undefined,
): string {
  const names = new Map<string, string>();
  let text = '';
  let at = 0;
  for (const { position, passages } of quotes) {
    text += content.slice(at, position);
    at = position;
    for (const passage of passages) {
      const { fileId } = passage.chunk;
      const name = nameOf(fileId);
      if (name === undefined) continue;
      names.set(fileId, name);
      text += ` ${markOf([...names.keys()].indexOf(fileId) + 1, pagesOf(passage))}`;
    }
  }
  const references = [...names.values()].map((name, index) => `\n${index + 1}. ${oneLine(name)}`);
  return text + content.slice(at) + (references.length > 0 ? REFERENCES + references.join('') : '');
}

function markOf(number: number, pages: readonly number[]): string {
  return pages.length === 0 ? `[${number}]` : `[${number}, pp. ${pages.join(', ')}]`;
}

function oneLine(name: string): string {
  return name.replace(/\s+/g, ' ').trim();
}

export function completionBody({ id, model, content, usage, finishReason }: CompletionReply): object {
  const message = { role: 'assistant', content };
  return { id, choices: [{ index: 0, message, finish_reason: finishReason }], model, usage };
}

/** The first part of a stream. */
export function completionStart(head: ReplyHead): object {
  return part(head, { role: 'assistant' }, null);
}

export function completionDelta(head: ReplyHead, content: string): object {
  return part(head, { content }, null);
}

/** The last part of a stream. */
export function completionEnd(head: ReplyHead, finishReason: FinishReason): object {
  return part(head, {}, finishReason);
}

/** The parts of a reply that is known as a whole. */
export function* completionEvents(reply: CompletionReply): Generator<object> {
  yield completionStart(reply);
  for (const piece of piecesOf(reply.content)) yield completionDelta(reply, piece);
  yield completionEnd(reply, reply.finishReason);
}

function part({ id, model }: ReplyHead, delta: object, finishReason: FinishReason | null): object {
  return { id, choices: [{ index: 0, delta, finish_reason: finishReason }], model };
}
