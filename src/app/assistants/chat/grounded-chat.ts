// Answers questions to assistants: retrieves chunks of files and has a provider answer from them.
import { randomBytes } from 'node:crypto';
import type { Assistant } from '../../../domain/assistants/assistant.ts';
import { shownModel } from '../../../domain/assistants/chat-models.ts';
import { HISTORY_TOKENS_MAX } from '../../../domain/assistants/limits.ts';
import { invalid } from '../../../domain/faults.ts';
import type { LanguageModel, ModelOptions } from '../../../domain/inference/language-model.ts';
import type { PageImages } from '../files/page-images.ts';
import type { Retrieved, Retriever } from '../retrieval/retriever.ts';
import type { TableAnswers } from '../tables/table-answers.ts';
import { type TokenCounter, tokensOfAll } from '../token-counter.ts';
import { boundParts } from './bound-parts.ts';
import type { ChatModels } from './chat-models.ts';
import { type AnswerPart, type ChatProvider, questionText } from './chat-provider.ts';
import type {
  ChatAnswer,
  ChatRequest,
  ChatService,
  Context,
  ContextQuestion,
  ContextSnippet,
  DirectRequest,
} from './chat-service.ts';
import { directAnswer } from './direct-provider.ts';
import { type FoundText, foundTexts, sourcedChunk, withImages } from './found-texts.ts';
import { retrievalText } from './retrieval-query.ts';

const ID_BYTES = 16;
const NEEDS_MODEL =
  'needs a language model, and the built-in answers come from none. The setting PINYON_CHAT_URL names one.';

export interface GroundedChatParts {
  readonly retriever: Pick<Retriever, 'retrieve'>;
  readonly models: Pick<ChatModels, 'resolve' | 'providerName' | 'isAnswered' | 'list'>;
  /** Returns what answers by the provider's model of this name. */
  readonly providerOf: (model: string) => ChatProvider;
  /** Null when none is configured. */
  readonly languageModel?: LanguageModel | null;
  /** Answers when no model does, and when nothing was found. */
  readonly builtIn: ChatProvider;
  readonly countTokens: TokenCounter;
  /** Computes over the tables of files. Absent: none is. */
  readonly tables?: TableAnswers | undefined;
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
    const { found } = await this.#found(assistant, question, true);
    const shown = await this.#withImages(found, question);
    const tokens = found.reduce((sum, each) => sum + each.tokens, historyTokens);
    return { id: newReplyId(), snippets: shown.map(contextSnippet), tokens };
  }

  async answer(assistant: Assistant, request: ChatRequest): Promise<ChatAnswer> {
    const { messages, temperature, isJson, options, signal } = request;
    const { builtIn, models } = this.#parts;
    const model = await models.resolve(request.model);
    const historyTokens = await this.#historyTokens(request);
    const chosen = this.#providerOf(model);
    if (chosen === builtIn) refuseModelOptions(request);
    else if (!chosen.readsImages) refuseImages(request);
    // A model also gets the chunks around those found; the extractive answerer needs only those found.
    const { found, weights } = await this.#found(assistant, request, chosen !== builtIn);
    const provider = found.length === 0 && !needsModel(options) ? builtIn : chosen;
    const shown = provider.readsImages ? await this.#withImages(found, request) : found;
    const { instructions } = assistant;
    const { marksUnsupported } = request;
    const asked = {
      messages,
      historyTokens,
      instructions,
      temperature,
      isJson,
      options,
      marksUnsupported,
      weights,
    };
    const chunks = shown.map((each) => sourcedChunk(each, request.pictures));
    const question = (await provider.fit?.({ ...asked, chunks })) ?? { ...asked, chunks };
    const files = new Map(found.map(({ file }) => [file.id, file]));
    return {
      id: newReplyId(),
      model: shownModel(model, provider.answeredBy),
      snippetCount: question.chunks.length,
      parts: this.#bounded(provider, provider.answer(question, signal), options?.maxTokens),
      fileOf: (fileId) => files.get(fileId),
    };
  }

  models(): Promise<readonly string[]> {
    return this.#parts.models.list();
  }

  async direct(request: DirectRequest): Promise<ChatAnswer | undefined> {
    const { languageModel, models, countTokens } = this.#parts;
    const model = models.providerName(request.model);
    if (!languageModel || model === null || !(await models.isAnswered(request.model))) return undefined;
    const historyTokens = await this.#historyTokens(request);
    if (!this.#parts.providerOf(model).readsImages) refuseImages(request);
    return {
      id: newReplyId(),
      model,
      snippetCount: 0,
      parts: directAnswer({ languageModel, model, historyTokens, countTokens }, request),
      fileOf: () => undefined,
    };
  }

  #providerOf(model: string): ChatProvider {
    const name = this.#parts.models.providerName(model);
    return name === null ? this.#parts.builtIn : this.#parts.providerOf(name);
  }

  /** Models bound their answers themselves. */
  #bounded(
    provider: ChatProvider,
    parts: AsyncIterable<AnswerPart>,
    tokensMax: number | undefined,
  ): AsyncIterable<AnswerPart> {
    const { builtIn, countTokens } = this.#parts;
    return provider === builtIn && tokensMax !== undefined
      ? boundParts(parts, tokensMax, countTokens)
      : parts;
  }

  async #found(
    assistant: Assistant,
    question: ContextQuestion,
    widened: boolean,
  ): Promise<{ readonly found: readonly FoundText[]; readonly weights: Retrieved['weights'] }> {
    const text = retrievalText(question.messages);
    const retrieved = await this.#parts.retriever.retrieve(assistant, { ...question, text, widened });
    const found = foundTexts(retrieved);
    const computed = await this.#computed(found, question);
    return { found: [...computed, ...found].slice(0, question.topK), weights: retrieved.weights };
  }

  /** What the tables of the files that were found say, before all passages. */
  async #computed(
    found: readonly FoundText[],
    { messages, signal }: ContextQuestion,
  ): Promise<readonly FoundText[]> {
    const { tables, countTokens } = this.#parts;
    const byRevision = new Map(found.map((each) => [each.revisionId, each]));
    if (tables === undefined || byRevision.size === 0) return [];
    const files = [...byRevision.values()].map(({ file, revisionId, parser }) => ({
      ...file,
      revisionId,
      parser,
    }));
    const answers = await tables.of(questionText(messages), files, signal);
    return Promise.all(
      answers.map(async ({ file, text }) => ({
        revisionId: file.revisionId,
        number: 0,
        text,
        start: 0,
        tokens: await countTokens(text),
        headings: [],
        score: 1,
        type: byRevision.get(file.revisionId)?.type ?? 'csv',
        parser: byRevision.get(file.revisionId)?.parser ?? null,
        file: byRevision.get(file.revisionId)?.file ?? file,
        pages: [],
        images: [],
        isComputed: true,
      })),
    );
  }

  async #withImages(
    found: readonly FoundText[],
    { pictures, signal }: ContextQuestion,
  ): Promise<readonly FoundText[]> {
    const { images } = this.#parts;
    return images === undefined || pictures === 'none' ? found : await withImages(found, images, signal);
  }

  /** @throws invalid-argument */
  async #historyTokens({ messages }: Pick<ContextQuestion, 'messages'>): Promise<number> {
    const texts = messages.flatMap(({ content, toolCalls = [] }) => [
      content,
      ...toolCalls.map((call) => JSON.stringify(call)),
    ]);
    const tokens = await tokensOfAll(texts, this.#parts.countTokens, HISTORY_TOKENS_MAX);
    if (tokens <= HISTORY_TOKENS_MAX) return tokens;
    throw invalid(`The messages must have at most ${HISTORY_TOKENS_MAX} tokens together.`);
  }
}

/**
 * Whether the model answers even without sources, from which its answer would come: it may find some by tools, and only
 * a model can say in the form of a schema that it has none.
 */
function needsModel({ tools, jsonSchema }: ModelOptions = {}): boolean {
  return tools !== undefined || jsonSchema !== undefined;
}

/** @throws invalid-argument for what only a language model can do */
function refuseModelOptions({ messages, options = {} }: ChatRequest): void {
  if (options.tools !== undefined) throw invalid(`tools ${NEEDS_MODEL}`);
  if (options.jsonSchema !== undefined) throw invalid(`response_format of type json_schema ${NEEDS_MODEL}`);
  refuseImages({ messages });
}

/** @throws invalid-argument */
function refuseImages({ messages }: Pick<ChatRequest, 'messages'>): void {
  const at = messages.findIndex(({ images = [] }) => images.length > 0);
  if (at < 0) return;
  throw invalid(
    `messages[${at}].content has a picture, and no model of this server reads pictures; text only is expected.`,
  );
}

function contextSnippet({ text, score, type, file, pages, images }: FoundText): ContextSnippet {
  return { content: text, score, type, file, pages, images };
}

function newReplyId(): string {
  return randomBytes(ID_BYTES).toString('hex');
}
