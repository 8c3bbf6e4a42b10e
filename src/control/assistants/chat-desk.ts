// Questions to assistants as the surfaces ask them: context alone, or answers with what they are from.
import { randomBytes } from 'node:crypto';
import { tellingWords } from '../../assistants/answering/telling-words.ts';
import type {
  AnswerPart,
  ChatMessage,
  ChatProvider,
  SourcedChunk,
} from '../../assistants/chat/chat-provider.ts';
import { askedText } from '../../assistants/chat/chat-provider.ts';
import { joined, type Snippet } from '../../assistants/retrieval/join-chunks.ts';
import type { DocumentType } from '../../documents/document-model.ts';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import { type ChatModel, shownModel } from '../../domain/assistants/chat-models.ts';
import type { AssistantFile } from '../../domain/assistants/file.ts';
import { HISTORY_TOKENS_MAX } from '../../domain/assistants/limits.ts';
import { invalid } from '../../domain/faults.ts';
import type { Filter } from '../../domain/filter/grammar.ts';
import type { Retrieved, Retriever } from './retriever.ts';

const ID_BYTES = 16;
/** A question of fewer telling words leans on the one before it. */
const WORDS_ALONE_MIN = 3;

export interface ContextQuestion {
  /** Or the messages, of which the last of a user is asked. */
  readonly text: string;
  readonly filter: Filter | null;
  readonly topK: number;
  readonly snippetTokens: number;
  readonly signal: AbortSignal;
}

export interface ContextSnippet {
  readonly content: string;
  /** 0 to 1. */
  readonly score: number;
  readonly type: DocumentType;
  readonly file: AssistantFile;
  readonly pages: readonly number[];
}

export interface Context {
  readonly id: string;
  /** Best first. */
  readonly snippets: readonly ContextSnippet[];
  readonly tokens: number;
}

export interface ChatRequest extends Omit<ContextQuestion, 'text'> {
  readonly messages: readonly ChatMessage[];
  readonly model: ChatModel;
  readonly temperature: number | null;
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

export interface ChatDeskParts {
  readonly retriever: Pick<Retriever, 'retrieve'>;
  /** The model that answers for a name; null where none is set up. */
  readonly providerOf: (model: ChatModel) => ChatProvider | null;
  /** Answers where no model does, and where there is nothing to answer from. */
  readonly builtIn: ChatProvider;
  readonly countTokens: (text: string) => number;
}

/** Takes assistants as `AssistantDesk.ready` found them for a caller. */
export class ChatDesk {
  readonly #parts: ChatDeskParts;

  constructor(parts: ChatDeskParts) {
    this.#parts = parts;
  }

  /** @throws as `Retriever.retrieve` */
  async context(assistant: Assistant, question: ContextQuestion): Promise<Context> {
    const { snippets, files } = await this.#parts.retriever.retrieve(assistant, {
      ...question,
      widened: true,
    });
    const found = snippets.flatMap((snippet) => contextSnippet(snippet, files));
    // Counted once, when the file was cut: counting long snippets again takes longer than finding them.
    const tokens = snippets.reduce((sum, snippet) => sum + joined(snippet).tokens, 0);
    return { id: newReplyId(), snippets: found, tokens: tokens + this.#parts.countTokens(question.text) };
  }

  /**
   * Resolves when it is known what the answer is made from.
   * @throws invalid-argument for a history that is too long; as `Retriever.retrieve`; the parts: chat-unavailable
   */
  async answer(assistant: Assistant, request: ChatRequest): Promise<ChatAnswer> {
    const { messages, model, temperature, isJson, signal } = request;
    const tokens = this.#tokensOf(messages.map(({ content }) => content));
    if (tokens > HISTORY_TOKENS_MAX) {
      throw invalid(`messages must have at most ${HISTORY_TOKENS_MAX} tokens together, got ${tokens}.`);
    }
    const chosen = this.#parts.providerOf(model) ?? this.#parts.builtIn;
    const { retriever, builtIn } = this.#parts;
    // A model gets what stands around the pieces found; what quotes them needs them alone.
    const retrieval = { ...request, text: retrievalText(messages), widened: chosen !== builtIn };
    const { snippets, files } = await retriever.retrieve(assistant, retrieval);
    const chunks = snippets.flatMap((snippet) => sourcedChunk(snippet, files));
    // What a model says without any source is not from the files.
    const provider = chunks.length === 0 ? builtIn : chosen;
    const { instructions } = assistant;
    const byId = new Map([...files.values()].map(({ file }) => [file.id, file]));
    return {
      id: newReplyId(),
      model: shownModel(model, provider.answeredBy),
      snippetCount: chunks.length,
      parts: provider.answer({ messages, instructions, chunks, temperature, isJson }, signal),
      fileOf: (fileId) => byId.get(fileId),
    };
  }

  #tokensOf(texts: readonly string[]): number {
    return texts.reduce((sum, text) => sum + this.#parts.countTokens(text), 0);
  }
}

/** The question, with the one before it where it says too little alone ("and in winter?"). */
export function retrievalText(messages: readonly ChatMessage[]): string {
  const asked = askedText(messages);
  if (tellingWords(asked).size >= WORDS_ALONE_MIN) return asked;
  const users = messages.filter(({ role }) => role === 'user');
  const before = users.at(-2)?.content;
  return before === undefined ? asked : `${before}\n${asked}`;
}

function contextSnippet(snippet: Snippet, files: Retrieved['files']): ContextSnippet[] {
  const { revisionId, text, pageStarts = [] } = joined(snippet);
  const found = files.get(revisionId);
  if (found === undefined) return [];
  const { file, processing } = found;
  const type = (processing?.type ?? 'text') as DocumentType;
  const pages = [...new Set(pageStarts.map(({ page }) => page))];
  return [{ content: text, score: snippet.score, type, file, pages }];
}

function sourcedChunk(snippet: Snippet, files: Retrieved['files']): SourcedChunk[] {
  const { revisionId, number, text, start, headings, pageStarts } = joined(snippet);
  const file = files.get(revisionId)?.file;
  if (file === undefined) return [];
  const pages = pageStarts === undefined ? {} : { pageStarts };
  return [{ fileId: file.id, fileName: file.name, number, text, start, headings, ...pages }];
}

function newReplyId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}
