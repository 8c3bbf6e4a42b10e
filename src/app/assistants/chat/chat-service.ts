// Questions to assistants as the surfaces ask them: context alone, or answers with what they are from.
import type { DocumentType } from '../../../documents/port.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { ChatModel } from '../../../domain/assistants/chat-models.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { PageImage } from '../files/page-images.ts';
import type { AnswerPart, ChatMessage } from './chat-provider.ts';

export type { DocumentType };

/** Of pages, beside their text, of files that were uploaded with them. */
export type PictureDetail = 'none' | 'captions' | 'whole';

export interface ContextQuestion {
  /** Oldest first; at least one. The last of a user is asked. */
  readonly messages: readonly ChatMessage[];
  /** On the metadata of files. */
  readonly filter: Filter | null;
  readonly topK: number;
  readonly snippetTokens: number;
  readonly pictures: PictureDetail;
  readonly signal: AbortSignal;
}

export interface ContextSnippet {
  readonly content: string;
  /** 0 to 1. */
  readonly score: number;
  readonly type: DocumentType;
  readonly file: AssistantFile;
  /** Of PDF and DOCX files, where known. */
  readonly pages: readonly number[];
  readonly images: readonly PageImage[];
}

export interface Context {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Best first. */
  readonly snippets: readonly ContextSnippet[];
  readonly tokens: number;
}

export interface ChatRequest extends ContextQuestion {
  readonly model: ChatModel;
  /** 0 to 2. */
  readonly temperature: number;
  readonly isJson: boolean;
}

export interface ChatAnswer {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Holds the name asked for, and what stands behind it. */
  readonly model: string;
  readonly snippetCount: number;
  /** To be read once; leaving early ends the work. */
  readonly parts: AsyncIterable<AnswerPart>;
  /** Of an id that citations name. */
  readonly fileOf: (fileId: string) => AssistantFile | undefined;
}

/** Takes assistants that are ready. */
export interface ChatService {
  /** @throws invalid-argument for a history that is too long; assistant-models-changed, model-unavailable */
  context(assistant: Assistant, question: ContextQuestion): Promise<Context>;
  /**
   * Resolves when it is known what the answer is made from.
   * @throws as `context`; the parts: chat-unavailable, overloaded
   */
  answer(assistant: Assistant, request: ChatRequest): Promise<ChatAnswer>;
}
