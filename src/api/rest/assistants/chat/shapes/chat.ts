// The shapes of chat replies, whole and as a stream of events.
import type { AnswerUsage, FinishReason } from '../../../../../domain/inference/language-model.ts';
import type { CitationShape } from './citations.ts';

/** Older clients use another name for tool calls. */
export type ShownFinishReason = FinishReason | 'function_call';

export interface UsageShape {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The identity of a reply, repeated in every part. */
export interface ReplyHead {
  /** 32 hexadecimal digits, unique per reply. */
  readonly id: string;
  /** Contains the requested name. */
  readonly model: string;
  /** Omitted for versions without it. */
  readonly contextSnippetCount?: number;
}

export interface ReplyEnd {
  readonly usage: UsageShape;
  readonly finishReason: ShownFinishReason;
}

export interface ChatReply extends ReplyHead, ReplyEnd {
  readonly content: string;
  /** In the order of their positions. */
  readonly citations: readonly CitationShape[];
}

export function usageOf({ promptTokens, completionTokens }: AnswerUsage): UsageShape {
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
export function messageStart(head: ReplyHead): object {
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
export function messageEnd({ id, model }: ReplyHead, { usage, finishReason }: ReplyEnd): object {
  return { type: 'message_end', id, model, finish_reason: finishReason, usage };
}

function snippetCountOf({ contextSnippetCount }: ReplyHead): object {
  return contextSnippetCount === undefined ? {} : { context_snippet_count: contextSnippetCount };
}
