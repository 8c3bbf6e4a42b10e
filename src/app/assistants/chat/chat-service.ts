// The chat service that APIs call: context alone, or answers with their sources.
import type { DocumentType } from '../../../documents/port.ts';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import type { AssistantFile } from '../../../domain/assistants/file.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { ModelOptions } from '../../../domain/inference/language-model.ts';
import type { PageImage } from '../files/page-images.ts';
import type { AnswerPart, ChatMessage } from './chat-provider.ts';

export type { DocumentType };

/** Which pictures of multimodal files to include. */
export type PictureDetail = 'none' | 'captions' | 'whole';

export interface ContextQuestion {
  /** Oldest first; at least one. The last user message is the question. */
  readonly messages: readonly ChatMessage[];
  /** Filters by the metadata of files. */
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
  /** For PDF, PPTX, DOCX, ODT and RTF files, where known. */
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
  /** As requested; undefined for the default. */
  readonly model: string | undefined;
  /** 0 to 2. */
  readonly temperature: number;
  readonly isJson: boolean;
  readonly options?: ModelOptions | undefined;
  /** Whether sentences of a language model are marked that their citations do not support. */
  readonly marksUnsupported?: boolean | undefined;
}

/** A conversation with a language model alone, without files. */
export type DirectRequest = Pick<ChatRequest, 'messages' | 'isJson' | 'options' | 'signal'> & {
  readonly model: string;
  /** Null leaves the choice to the model. */
  readonly temperature: number | null;
};

export interface ChatAnswer {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The requested name and what really answered. */
  readonly model: string;
  readonly snippetCount: number;
  /** Read it once; leaving the loop early ends the work. */
  readonly parts: AsyncIterable<AnswerPart>;
  /** Returns the file that a citation names. */
  readonly fileOf: (fileId: string) => AssistantFile | undefined;
}

/** Expects assistants that are Ready. */
export interface ChatService {
  /** @throws invalid-argument for a history that is too long; assistant-models-changed, model-unavailable */
  context(assistant: Assistant, question: ContextQuestion): Promise<Context>;
  /**
   * Resolves when the sources of the answer are known.
   * @throws as `context`, invalid-chat-model; the parts: chat-unavailable, overloaded
   */
  answer(assistant: Assistant, request: ChatRequest): Promise<ChatAnswer>;
  /** The names that a language model answers for without files; none without one. */
  models(): Promise<readonly string[]>;
  /**
   * Passes a conversation on to a language model; undefined when none answers for the name.
   * @throws invalid-argument for a history that is too long; the parts as `answer`
   */
  direct(request: DirectRequest): Promise<ChatAnswer | undefined>;
}
