// The shapes of chat replies, whole and as a stream of events.
import type { CitationShape } from './citations.ts';
import { piecesOf } from './event-stream.ts';

export type FinishReason = 'stop' | 'length' | 'content_filter' | 'tool_calls' | 'function_call';

export interface UsageShape {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** What identifies a reply, in every part of it. */
export interface ReplyHead {
  /** 32 hexadecimal digits, another for each reply. */
  readonly id: string;
  /** Contains the name that was asked for. */
  readonly model: string;
}

export interface ChatReply extends ReplyHead {
  readonly content: string;
  /** In the order of their positions. */
  readonly citations: readonly CitationShape[];
  readonly usage: UsageShape;
  readonly finishReason: FinishReason;
  /** Left out for versions that do not know it. */
  readonly contextSnippetCount?: number;
}

export function usageOf(promptTokens: number, completionTokens: number): UsageShape {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

export function chatBody(reply: ChatReply): object {
  const { id, model, content, citations, usage, finishReason } = reply;
  return {
    id,
    finish_reason: finishReason,
    message: { role: 'assistant', content },
    model,
    citations,
    usage,
    ...snippetCountOf(reply),
  };
}

/** The first event of a stream. */
export function messageStart(head: ReplyHead & Pick<ChatReply, 'contextSnippetCount'>): object {
  const { id, model } = head;
  return { type: 'message_start', id, model, role: 'assistant', ...snippetCountOf(head) };
}

export function contentChunk({ id, model }: ReplyHead, content: string): object {
  return { type: 'content_chunk', id, model, delta: { content } };
}

export function citationEvent({ id, model }: ReplyHead, citation: CitationShape): object {
  return { type: 'citation', id, model, citation };
}

/** The last event of a stream. */
export function messageEnd(reply: ReplyHead & Pick<ChatReply, 'usage' | 'finishReason'>): object {
  const { id, model, usage, finishReason } = reply;
  return { type: 'message_end', id, model, finish_reason: finishReason, usage };
}

/** The events of a reply that is known as a whole; each citation follows the text it marks. */
export function* chatEvents(reply: ChatReply): Generator<object> {
  yield messageStart(reply);
  const characters = [...reply.content];
  let sent = 0;
  for (const citation of reply.citations) {
    yield* textEvents(reply, characters.slice(sent, citation.position));
    yield citationEvent(reply, citation);
    sent = citation.position;
  }
  yield* textEvents(reply, characters.slice(sent));
  yield messageEnd(reply);
}

function* textEvents(head: ReplyHead, characters: readonly string[]): Generator<object> {
  for (const piece of piecesOf(characters.join(''))) yield contentChunk(head, piece);
}

function snippetCountOf({ contextSnippetCount }: Pick<ChatReply, 'contextSnippetCount'>): object {
  return contextSnippetCount === undefined ? {} : { context_snippet_count: contextSnippetCount };
}
