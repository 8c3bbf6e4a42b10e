// The provider of chats, which answers from chunks of files: a language model or the built-in extractive answerer.

import type {
  AnswerUsage,
  FinishReason,
  ModelOptions,
  ToolCallDelta,
} from '../../../domain/inference/language-model.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { PageCaption, PageImage } from '../files/page-images.ts';
import type { TermWeights } from '../retrieval/shared-features.ts';
import type { Passage, RetrievedChunk } from './answer-model.ts';

export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** May be empty only beside calls of tools. */
  readonly content: string;
  /** Addresses of pictures in the message, for models that read them. */
  readonly images?: readonly string[];
  /** Calls of tools by an assistant, in the OpenAI form. */
  readonly toolCalls?: readonly JsonObject[];
  /** The call that a tool's message answers. */
  readonly toolCallId?: string;
}

export interface SourcedChunk extends RetrievedChunk {
  /** Name of its file, for display. */
  readonly fileName: string;
  readonly tokens: number;
  /** Pictures of its pages, whole or only as captions. */
  readonly images: readonly (PageImage | PageCaption)[];
}

export interface ChatQuestion {
  /** Oldest first; at least one. The last one is the question. */
  readonly messages: readonly ChatMessage[];
  /** For all messages together. */
  readonly historyTokens: number;
  /** Instructions of the assistant's owner. */
  readonly instructions: string | null;
  /** Best first. */
  readonly chunks: readonly SourcedChunk[];
  /** What the terms of the question weigh, where known. */
  readonly weights?: TermWeights | undefined;
  /** 0 to 2; omitted for models without temperature. */
  readonly temperature: number;
  /** The answer must be the text of a JSON object. */
  readonly isJson: boolean;
  readonly options?: ModelOptions | undefined;
  /** Whether statements are marked that the cited snippets do not support. */
  readonly marksUnsupported?: boolean | undefined;
}

/** Parts in order. A quote backs the text right before it; the last part is the only end. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  /** Said instead of an answer. */
  | { readonly type: 'refusal'; readonly text: string }
  | { readonly type: 'tool-calls'; readonly calls: readonly ToolCallDelta[] }
  | { readonly type: 'quote'; readonly passages: readonly [Passage, ...Passage[]] }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: AnswerUsage };

export interface ChatProvider {
  /** Fits a question into what the provider reads at once. Absent: it reads everything. */
  readonly fit?: (question: ChatQuestion) => Promise<ChatQuestion>;
  /** What really answers; shown in every answer. */
  readonly answeredBy: string;
  /** Whether it reads the pictures of chunks. */
  readonly readsImages: boolean;
  /**
   * Leaving the loop early ends the work.
   * @throws chat-unavailable, overloaded, invalid-argument; the signal's reason
   */
  answer(question: ChatQuestion, signal: AbortSignal): AsyncIterable<AnswerPart>;
}

/** Returns the question: the last message of a user. */
export function questionText(messages: readonly ChatMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? messages.at(-1)?.content ?? '';
}
