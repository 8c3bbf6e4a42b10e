// Runs a local model: texts to vectors, or pairs to scores.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { Embedding, NliProbabilities } from '../../../domain/inference/port.ts';
import type { EmbedAnswer, EmbedBatch, RerankBatch } from '../../ports.ts';
import { shapeVector, wrongDimension } from '../../shape-vector.ts';
import { TOKENIZER_FILE } from './check-files.ts';
import { loadRuntime } from './load-runtime.ts';
import type { OnnxManifest } from './manifest.ts';
import { entailmentAmong, type NliLabel, nliLabels, outputNames } from './nli-labels.ts';
import { OnnxSession } from './onnx-session.ts';
import { poolDense, poolJudgements, poolScores, poolSparse } from './pooling.ts';
import { TokenFrames } from './token-frames.ts';

const TOKENIZER_CONFIG_FILE = 'tokenizer_config.json';

export interface OnnxModelOptions {
  readonly folder: string;
  readonly manifest: OnnxManifest;
  readonly threads: number;
  /** Folder of the packages that the model runs on; may be missing where they are installed with Pinyon. */
  readonly runtimeDir?: string | null;
  /** The longest vector that a dense model makes; null for other models. */
  readonly dimension: number | null;
}

interface LoadedParts {
  readonly tokenizer: Tokenizer;
  readonly session: OnnxSession;
}

export class OnnxModel {
  readonly #options: OnnxModelOptions;
  readonly #tokenizer: Tokenizer;
  readonly #frames: TokenFrames;
  readonly #session: OnnxSession;
  readonly #relevantOutput: number | null;
  readonly #labels: readonly NliLabel[] | null;

  private constructor(options: OnnxModelOptions, { tokenizer, session }: LoadedParts) {
    const { folder, manifest } = options;
    const names = outputNames(folder);
    this.#labels = manifest.labels ?? nliLabels(names);
    this.#relevantOutput = manifest.relevantOutput ?? entailmentAmong(manifest.labels ?? names);
    this.#options = options;
    this.#tokenizer = tokenizer;
    this.#frames = new TokenFrames(tokenizer, Math.min(manifest.maxTokens, session.width ?? Infinity));
    this.#session = session;
  }

  /** @throws Error with a readable reason when packages are not installed or the files are not a model */
  static async open(options: OnnxModelOptions): Promise<OnnxModel> {
    const { folder, manifest, threads, runtimeDir = null } = options;
    const [runtime, tokenizers] = await loadRuntime(runtimeDir);
    const config = await jsonFile(join(folder, TOKENIZER_CONFIG_FILE)).catch(() => ({}));
    const tokenizer = new tokenizers.Tokenizer(await jsonFile(join(folder, TOKENIZER_FILE)), config);
    const session = await OnnxSession.open(runtime, {
      path: join(folder, manifest.file),
      threads,
      padId: padIdOf(tokenizer, config),
      isPooled: manifest.pooling === 'none',
    });
    return new OnnxModel(options, { tokenizer, session });
  }

  /** @throws TooLong, ProviderError */
  async embed({ texts, parameters }: EmbedBatch): Promise<EmbedAnswer> {
    const { manifest, dimension } = this.#options;
    const { inputType, truncate, tokensMax } = parameters;
    const limits = { truncate, tokensMax, prefix: manifest.prefixes[inputType] };
    const sequences = texts.map((text, position) => this.#frames.single(text, position, limits));
    const output = await this.#session.run(sequences);
    const lengths = sequences.map(({ ids }) => ids.length);
    const tokens = sequences.map((sequence) => sequence.tokens);
    if (dimension === null) {
      const embeddings = poolSparse(output, lengths);
      return {
        embeddings: parameters.returnTokens ? embeddings.map((each) => this.#named(each)) : embeddings,
        tokens,
      };
    }
    const form = {
      dimension: parameters.dimension ?? dimension,
      isCuttable: true,
      isNormalized: manifest.normalize,
    };
    const embeddings = poolDense(output, lengths, manifest.pooling).map((vector): Embedding => {
      if (vector.length !== dimension) throw wrongDimension(vector.length, dimension);
      return { vectorType: 'dense', values: shapeVector(vector, form) };
    });
    return { embeddings, tokens };
  }

  /** @throws TooLong, ProviderError */
  async score({ query, documents, limitCounts, parameters }: RerankBatch): Promise<readonly number[]> {
    const sequences = this.#frames.pairs(query, documents, { ...parameters, counted: limitCounts });
    return poolScores(await this.#session.run(sequences), this.#relevantOutput);
  }

  /** Judges each document as a hypothesis, with the query as the premise. @throws TooLong, ProviderError */
  async infer({
    query,
    documents,
    limitCounts,
    parameters,
  }: RerankBatch): Promise<readonly NliProbabilities[]> {
    if (this.#labels === null) throw new Error('the outputs of the model have no known labels');
    const sequences = this.#frames.pairs(query, documents, { ...parameters, counted: limitCounts });
    return poolJudgements(await this.#session.run(sequences), this.#labels);
  }

  #named(embedding: Embedding): Embedding {
    if (embedding.vectorType === 'dense') return embedding;
    const tokens = Array.from(
      embedding.indices,
      (index) => this.#tokenizer.id_to_token(index) ?? String(index),
    );
    return { ...embedding, tokens };
  }
}

async function jsonFile(path: string): Promise<object> {
  const parsed: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (typeof parsed !== 'object' || parsed === null)
    throw new Error(`${path} does not contain a JSON object`);
  return parsed;
}

function padIdOf(tokenizer: Tokenizer, config: object): number {
  const pad: unknown = 'pad_token' in config ? config.pad_token : undefined;
  const name: unknown = typeof pad === 'object' && pad !== null && 'content' in pad ? pad.content : pad;
  return (typeof name === 'string' ? tokenizer.token_to_id(name) : undefined) ?? 0;
}
