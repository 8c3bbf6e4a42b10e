// Embeds the inputs of a request: cached results are used, the rest goes to the provider in batches.
import { InputTooLong } from '../../domain/inference/input-too-long.ts';
import type { EmbedModel } from '../../domain/inference/model.ts';
import type { Embedding, EmbedRequest, EmbedResult } from '../../domain/inference/port.ts';
import type { EmbedParameters } from '../../domain/inference/read-parameters.ts';
import type { EmbedAnswer, Embedder } from '../ports.ts';
import { TooLong } from '../provider-errors.ts';
import { batchesOf } from './batches.ts';
import type { CallRunner } from './call-runner.ts';
import { contentKey, type ResultCache } from './result-cache.ts';

export interface KeptEmbedding {
  readonly embedding: Embedding;
  readonly tokens: number;
}

export interface EmbedRunnerParts {
  readonly model: EmbedModel;
  readonly embedder: Embedder;
  readonly calls: CallRunner;
  readonly cache: ResultCache<KeptEmbedding>;
}

type Request = Pick<EmbedRequest, 'inputs' | 'parameters'>;

export class EmbedRunner {
  readonly #parts: EmbedRunnerParts;

  constructor(parts: EmbedRunnerParts) {
    this.#parts = parts;
  }

  /** @throws as Inference.embed */
  async embed({ inputs, parameters }: Request, signal: AbortSignal | undefined): Promise<EmbedResult> {
    const { embedder, calls } = this.#parts;
    // JSON strings may contain lone surrogates, which neither tokenizers nor UTF-8 accept.
    const texts = inputs.map((input) => input.toWellFormed());
    const keys = embedder.isCached ? texts.map((text) => this.#keyOf(text, parameters)) : [];
    const found = texts.map((_, position) => this.#kept(keys[position]));
    const missing = [...texts.keys()].filter((position) => found[position] === undefined);
    const uncached = missing.map((position) => texts[position] ?? '');
    const batches = batchesOf(uncached, embedder.bounds).map((batch) => async (ending: AbortSignal) => {
      const positions = batch.map((index) => missing[index] ?? 0);
      const answer = await this.#ask(positions, { texts, parameters, ending });
      for (const [index, position] of positions.entries()) {
        const kept = keptAt(answer, index);
        found[position] = kept;
        // At once: when another batch fails, the request comes again.
        this.#keep(keys[position], kept);
      }
    });
    await calls.run({ queue: parameters.inputType === 'query' ? 'interactive' : 'bulk', signal, batches });
    return assembled(found, embedder.isCached);
  }

  async #ask(positions: readonly number[], { texts, parameters, ending }: AskedTexts): Promise<EmbedAnswer> {
    try {
      const batch = { texts: positions.map((position) => texts[position] ?? ''), parameters };
      return await this.#parts.embedder.embed(batch, ending);
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      const { tokens, tokensMax, refusal } = error;
      const position = positions[error.position] ?? 0;
      throw new InputTooLong(position, { tokens, tokensMax, refusal, model: this.#parts.model.name });
    }
  }

  #keyOf(text: string, parameters: EmbedParameters): string {
    const { inputType, truncate, dimension, tokensMax, returnTokens, expandsQuery = false } = parameters;
    const { provider, revision } = this.#parts.embedder.source;
    return contentKey([
      this.#parts.model.name,
      provider,
      revision,
      inputType,
      truncate,
      `${dimension} ${tokensMax} ${returnTokens} ${expandsQuery}`,
      text,
    ]);
  }

  #kept(key: string | undefined): KeptEmbedding | undefined {
    return key === undefined ? undefined : this.#parts.cache.get(key);
  }

  #keep(key: string | undefined, kept: KeptEmbedding): void {
    if (key !== undefined) this.#parts.cache.set(key, kept, bytesOf(kept.embedding));
  }
}

interface AskedTexts {
  readonly texts: readonly string[];
  readonly parameters: EmbedParameters;
  readonly ending: AbortSignal;
}

function keptAt({ embeddings, tokens }: EmbedAnswer, index: number): KeptEmbedding {
  const embedding = embeddings[index];
  if (embedding === undefined) throw new Error('the provider returned fewer vectors than texts');
  return { embedding, tokens: tokens[index] ?? 1 };
}

/** @param isKept whether the embeddings are also in the cache, which changes by callers must not reach */
function assembled(found: readonly (KeptEmbedding | undefined)[], isKept: boolean): EmbedResult {
  const embeddings: Embedding[] = [];
  let totalTokens = 0;
  for (const kept of found) {
    if (kept === undefined) throw new Error('an input was left without a vector');
    embeddings.push(isKept ? copyOf(kept.embedding) : kept.embedding);
    totalTokens += kept.tokens;
  }
  return { embeddings, totalTokens: Math.max(1, totalTokens) };
}

function copyOf(embedding: Embedding): Embedding {
  if (embedding.vectorType === 'dense') return { ...embedding, values: embedding.values.slice() };
  return { ...embedding, indices: embedding.indices.slice(), values: embedding.values.slice() };
}

const CHAR_BYTES = 2;
const TOKEN_BYTES = 24;

function bytesOf(embedding: Embedding): number {
  if (embedding.vectorType === 'dense') return embedding.values.byteLength;
  const tokens = embedding.tokens ?? [];
  const tokenBytes = tokens.reduce((sum, token) => sum + TOKEN_BYTES + token.length * CHAR_BYTES, 0);
  return embedding.indices.byteLength + embedding.values.byteLength + tokenBytes;
}
