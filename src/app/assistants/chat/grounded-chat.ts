// Answers questions to assistants: retrieves chunks of files and has a provider answer from them.
import { randomBytes } from 'node:crypto';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { type ChatModel, shownModel } from '../../../domain/assistants/chat-models.ts';
import { HISTORY_TOKENS_MAX } from '../../../domain/assistants/limits.ts';
import { invalid } from '../../../domain/faults.ts';
import type { PageImages } from '../files/page-images.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import { type TokenCounter, tokensOfAll } from '../token-counter.ts';
import type { ChatProvider } from './chat-provider.ts';
import type {
  ChatAnswer,
  ChatRequest,
  ChatService,
  Context,
  ContextQuestion,
  ContextSnippet,
} from './chat-service.ts';
import { type FoundText, foundTexts, sourcedChunk, withImages } from './found-texts.ts';
import { retrievalText } from './retrieval-query.ts';

const ID_BYTES = 16;

export interface GroundedChatParts {
  readonly retriever: Pick<Retriever, 'retrieve'>;
  /** Returns the model that answers for a name; null when none is configured. */
  readonly providerOf: (model: ChatModel) => ChatProvider | null;
  /** Answers when no model does, and when nothing was found. */
  readonly builtIn: ChatProvider;
  readonly countTokens: TokenCounter;
  /** Absent when files have no pictures. */
  readonly images?: PageImages | undefined;
}

/** Expects assistants from `AssistantService.ready`, which checked the caller. */
export class GroundedChat implements ChatService {
  readonly #parts: GroundedChatParts;

  constructor(parts: GroundedChatParts) {
    this.#parts = parts;
  }

  async context(assistant: Assistant, question: ContextQuestion): Promise<Context> {
    const historyTokens = await this.#historyTokens(question);
    const found = await this.#found(assistant, question, true);
    const shown = await this.#withImages(found, question);
    const tokens = found.reduce((sum, each) => sum + each.tokens, historyTokens);
    return { id: newReplyId(), snippets: shown.map(contextSnippet), tokens };
  }

  async answer(assistant: Assistant, request: ChatRequest): Promise<ChatAnswer> {
    const { messages, model, temperature, isJson, signal } = request;
    const { builtIn, providerOf } = this.#parts;
    const historyTokens = await this.#historyTokens(request);
    const chosen = providerOf(model) ?? builtIn;
    // A model also gets the chunks around those found; the extractive answerer needs only those found.
    const found = await this.#found(assistant, request, chosen !== builtIn);
    // Without sources, a model's answer would not come from the files.
    const provider = found.length === 0 ? builtIn : chosen;
    const shown = provider.readsImages ? await this.#withImages(found, request) : found;
    const { instructions } = assistant;
    const question = { messages, historyTokens, instructions, temperature, isJson };
    const files = new Map(found.map(({ file }) => [file.id, file]));
    return {
      id: newReplyId(),
      model: shownModel(model, provider.answeredBy),
      snippetCount: found.length,
      parts: provider.answer(
        { ...question, chunks: shown.map((each) => sourcedChunk(each, request.pictures)) },
        signal,
      ),
      fileOf: (fileId) => files.get(fileId),
    };
  }

  async #found(
    assistant: Assistant,
    question: ContextQuestion,
    widened: boolean,
  ): Promise<readonly FoundText[]> {
    const text = retrievalText(question.messages);
    const retrieved = await this.#parts.retriever.retrieve(assistant, { ...question, text, widened });
    return foundTexts(retrieved);
  }

  async #withImages(
    found: readonly FoundText[],
    { pictures, signal }: ContextQuestion,
  ): Promise<readonly FoundText[]> {
    const { images } = this.#parts;
    return images === undefined || pictures === 'none' ? found : await withImages(found, images, signal);
  }

  /** @throws invalid-argument */
  async #historyTokens({ messages }: ContextQuestion): Promise<number> {
    const texts = messages.map(({ content }) => content);
    const tokens = await tokensOfAll(texts, this.#parts.countTokens, HISTORY_TOKENS_MAX);
    if (tokens <= HISTORY_TOKENS_MAX) return tokens;
    throw invalid(`The messages must have at most ${HISTORY_TOKENS_MAX} tokens together.`);
  }
}

function contextSnippet({ text, score, type, file, pages, images }: FoundText): ContextSnippet {
  return { content: text, score, type, file, pages, images };
}

function newReplyId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}
