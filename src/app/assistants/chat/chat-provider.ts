// What answers questions from pieces of files: a language model, or the built-in answerer that quotes.

import type { AnswerUsage, FinishReason } from '../../../domain/inference/language-model.ts';
import type { PageCaption, PageImage } from '../files/page-images.ts';
import type { Passage, RetrievedChunk } from './answer-model.ts';

export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
}

export interface SourcedChunk extends RetrievedChunk {
  /** Of its file, to be shown. */
  readonly fileName: string;
  readonly tokens: number;
  /** Of its pages, whole or as their captions alone. */
  readonly images: readonly (PageImage | PageCaption)[];
}

export interface ChatQuestion {
  /** Oldest first; at least one, the last of which is asked. */
  readonly messages: readonly ChatMessage[];
  /** Of all messages together. */
  readonly historyTokens: number;
  /** Of the assistant's owner. */
  readonly instructions: string | null;
  /** Best first. */
  readonly chunks: readonly SourcedChunk[];
  /** 0 to 2; models that know none leave it out. */
  readonly temperature: number;
  /** The answer is to be the text of a JSON object. */
  readonly isJson: boolean;
}

/** Parts in order. A quote backs the text right before it; exactly one end, the last. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'quote'; readonly passages: readonly [Passage, ...Passage[]] }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: AnswerUsage };

export interface ChatProvider {
  /** What stands behind answers: shown in every one. */
  readonly answeredBy: string;
  /** Chunks are worth their pictures. */
  readonly readsImages: boolean;
  /**
   * Leaving the loop early ends the work.
   * @throws chat-unavailable, overloaded, invalid-argument; the signal's reason
   */
  answer(question: ChatQuestion, signal: AbortSignal): AsyncIterable<AnswerPart>;
}

/** The last message of a user: what is asked. */
export function questionText(messages: readonly ChatMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? messages.at(-1)?.content ?? '';
}
