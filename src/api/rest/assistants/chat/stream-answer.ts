// Streams answers as events while their parts arrive.

import type { AnswerPart } from '../../../../app/assistants/chat/chat-provider.ts';
import type { ChatAnswer } from '../../../../app/assistants/chat/chat-service.ts';
import type { FinishReason } from '../../../../domain/inference/language-model.ts';
import type { Highlights } from './highlights.ts';
import {
  citationEvent,
  contentChunk,
  messageEnd,
  messageStart,
  type ReplyHead,
  type ShownFinishReason,
  usageOf,
} from './shapes/chat.ts';
import { type CitationOptions, citationAt } from './shapes/citations.ts';
import {
  type CompletionHead,
  completionCalls,
  completionDelta,
  completionEnd,
  completionRefusal,
  completionStart,
  completionUsage,
  type MarkWriter,
} from './shapes/completions.ts';
import { eventLine, piecesOf } from './shapes/event-stream.ts';

type Parts = ChatAnswer['parts'];
type ReasonShown = (reason: FinishReason) => ShownFinishReason;

interface StreamOptions {
  readonly head: ReplyHead;
  readonly shownReason: ReasonShown;
}

interface ChatStreamOptions extends StreamOptions, CitationOptions {
  readonly highlights: Pick<Highlights, 'prepare'>;
}

/** Sends the first piece with the first part, so that earlier failures can still become an error response. */
export async function* chatStream(
  parts: Parts,
  { head, shownReason, highlights, ...citations }: ChatStreamOptions,
): AsyncGenerator<string> {
  let position = 0;
  yield* eventLines(parts, messageStart(head), async function* (part) {
    if (part.type === 'text' || part.type === 'refusal') {
      position += charactersIn(part.text);
      for (const piece of piecesOf(part.text)) yield contentChunk(head, piece);
    } else if (part.type === 'quote') {
      await highlights.prepare(part.passages);
      const citation = citationAt(position, part.passages, citations);
      if (citation !== null) yield citationEvent(head, citation);
    } else if (part.type === 'end') {
      yield messageEnd(head, { usage: usageOf(part.usage), finishReason: shownReason(part.finishReason) });
    }
  });
}

export interface CompletionStreamOptions {
  readonly head: CompletionHead;
  readonly shownReason: ReasonShown;
  readonly marks: MarkWriter;
  readonly includeUsage: boolean;
}

/**
 * Like `chatStream`, in the OpenAI shape. Omits the last line `[DONE]`, which official clients of assistants reject; all
 * read to the end.
 */
export async function* completionStream(
  parts: Parts,
  { head, shownReason, marks, includeUsage }: CompletionStreamOptions,
): AsyncGenerator<string> {
  yield* eventLines(parts, completionStart(head), function* (part) {
    if (part.type === 'end') {
      const references = marks.references();
      if (references !== '') yield completionDelta(head, references);
      yield completionEnd(head, shownReason(part.finishReason));
      if (includeUsage) yield completionUsage(head, usageOf(part.usage));
    } else if (part.type === 'tool-calls') {
      yield completionCalls(head, part.calls);
    } else if (part.type === 'refusal') {
      yield completionRefusal(head, part.text);
    } else {
      const text = part.type === 'text' ? part.text : marks.marks(part.passages);
      for (const piece of piecesOf(text)) yield completionDelta(head, piece);
    }
  });
}

async function* eventLines(
  parts: Parts,
  start: object,
  eventsOf: (part: AnswerPart) => Iterable<object> | AsyncIterable<object>,
): AsyncGenerator<string> {
  let isStarted = false;
  for await (const part of parts) {
    if (!isStarted) yield eventLine(start);
    isStarted = true;
    for await (const event of eventsOf(part)) yield eventLine(event);
  }
}

/** Counts code points. Parts never cut one. */
function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
