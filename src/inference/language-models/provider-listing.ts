// What the server of language models tells of its models: their names and how much they read. Asked rarely, never relied on.
import type { ListedModel } from '../../domain/inference/language-model.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { postJson } from '../providers/http/post-json.ts';

/** A person may be waiting for an answer. */
const ASK_MS_MAX = 2_000;
const KNOWN_MS = 60_000;
/** Short, so that a server that just started is soon known. */
const UNKNOWN_MS = 5_000;
const MODELS_MAX = 1_000;
const NAME_CHARS_MAX = 200;
const TOKENS_MAX = 100_000_000;
/** Ollama cuts conversations at this many tokens where nobody set more, whatever the model could read. */
const OLLAMA_TOKENS = 4_096;
/** By how servers name the owner of their models, or by their usual port. */
const OLLAMA = /^(?:library|ollama)$/;
const OLLAMA_PORT = '11434';
const LLAMA_CPP = 'llamacpp';
const LM_STUDIO = 'organization_owner';
/** The names under which servers tell the bound: vLLM, OpenRouter and Together, Groq, Mistral. */
const CONTEXT_FIELDS = ['max_model_len', 'context_length', 'context_window', 'max_context_length'] as const;

export interface ListingOptions {
  /** The address without `/chat/completions`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

interface Entry extends ListedModel {
  readonly owner: string;
}

interface Kept<Value> {
  until: number;
  readonly value: Promise<Value>;
}

/** Keeps what a server tells. @param value never rejects @param isTold false for what is asked again soon */
function keptWhile<Value>(value: Promise<Value>, isTold: (value: Value) => boolean): Kept<Value> {
  const kept = { until: performance.now() + KNOWN_MS, value };
  value.then((found) => {
    if (!isTold(found)) kept.until = Math.min(kept.until, performance.now() + UNKNOWN_MS);
  });
  return kept;
}

export class ProviderListing {
  readonly #options: ListingOptions;
  #models: Kept<readonly Entry[]> | undefined;
  readonly #contexts = new Map<string, Kept<number | null>>();

  constructor(options: ListingOptions) {
    this.#options = options;
  }

  /** Never throws: none when the server lists none or cannot be asked. */
  models(): Promise<readonly Entry[]> {
    if (this.#models === undefined || this.#models.until < performance.now()) {
      this.#models = keptWhile(this.#list(), ({ length }) => length > 0);
    }
    return this.#models.value;
  }

  /** Never throws: null when the server does not tell. */
  contextTokens(model: string): Promise<number | null> {
    const known = this.#contexts.get(model);
    if (known !== undefined && known.until > performance.now()) return known.value;
    if (this.#contexts.size >= MODELS_MAX) this.#contexts.clear();
    const kept = keptWhile(
      this.#contextOf(model).catch(() => null),
      (tokens) => tokens !== null,
    );
    this.#contexts.set(model, kept);
    return kept.value;
  }

  async #list(): Promise<readonly Entry[]> {
    const { data } = await this.#get('/models');
    if (!Array.isArray(data)) return [];
    return data.slice(0, MODELS_MAX).flatMap((item: unknown) => entryOf(item) ?? []);
  }

  /** Servers that do not tell in the list tell beside it, each in its own way. */
  async #contextOf(model: string): Promise<number | null> {
    const entry = (await this.models()).find(({ name }) => name === model || name === `${model}:latest`);
    if (entry === undefined) return null;
    const { owner } = entry;
    if (owner === LLAMA_CPP) return await this.#llamaCppContext();
    if (owner === LM_STUDIO) return await this.#lmStudioContext(entry.name);
    const isOllama = OLLAMA.test(owner) || new URL(this.#options.baseUrl).port === OLLAMA_PORT;
    return entry.contextTokens ?? (isOllama ? await this.#ollamaContext(entry.name) : null);
  }

  async #llamaCppContext(): Promise<number | null> {
    const { default_generation_settings: settings } = await this.#get('/props', true);
    return isJsonObject(settings) ? tokensOf(settings.n_ctx) : null;
  }

  async #lmStudioContext(model: string): Promise<number | null> {
    const { data } = await this.#get('/api/v0/models', true);
    const found = itemNamed(data, 'id', model);
    return tokensOf(found.loaded_context_length) ?? tokensOf(found.max_context_length);
  }

  /** Of a loaded model the bound in force, else the one that it would be loaded with. */
  async #ollamaContext(model: string): Promise<number | null> {
    const running = await this.#get('/api/ps', true);
    return tokensOf(itemNamed(running.models, 'name', model).context_length) ?? OLLAMA_TOKENS;
  }

  /** @param isBeside at the root of the server, instead of below its address for the OpenAI form */
  async #get(path: string, isBeside = false): Promise<JsonObject> {
    const { baseUrl, apiKey } = this.#options;
    const base = baseUrl.replace(/\/+$/, '');
    const url = `${isBeside ? base.replace(/\/v1$/, '') : base}${path}`;
    try {
      const answer = await postJson({ url, key: apiKey, signal: AbortSignal.timeout(ASK_MS_MAX) });
      return isJsonObject(answer) ? answer : {};
    } catch {
      return {};
    }
  }
}

function entryOf(item: unknown): Entry | null {
  if (!isJsonObject(item) || typeof item.id !== 'string') return null;
  if (item.id === '' || item.id.length > NAME_CHARS_MAX) return null;
  const field = CONTEXT_FIELDS.find((name) => tokensOf(item[name]) !== null);
  return {
    name: item.id,
    owner: typeof item.owned_by === 'string' ? item.owned_by : '',
    contextTokens: field === undefined ? null : tokensOf(item[field]),
  };
}

function itemNamed(list: unknown, key: string, name: string): JsonObject {
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  return items.filter(isJsonObject).find((item) => item[key] === name) ?? {};
}

function tokensOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= TOKENS_MAX;
  return isCount ? value : null;
}
