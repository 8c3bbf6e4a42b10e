// The inference port: what the surfaces ask of models, whoever serves them.
import type { EmbeddingSource } from '../embedding/embedding-source.ts';
import type { EmbedModel, Model, RerankModel } from './model.ts';
import type { EmbedParameters, RerankParameters } from './read-parameters.ts';

export interface DenseEmbedding {
  readonly vectorType: 'dense';
  /** Unit length for the hosted and built-in models. */
  readonly values: Float32Array;
}

/** Entries in ascending index order, indices unique. Empty for a text without words. */
export interface SparseEmbedding {
  readonly vectorType: 'sparse';
  readonly indices: Uint32Array;
  readonly values: Float32Array;
  /** Beside the indices, exactly when `returnTokens` was asked. */
  readonly tokens?: readonly string[];
}

export type Embedding = DenseEmbedding | SparseEmbedding;

export interface EmbedRequest {
  /** As the port handed it out. */
  readonly model: EmbedModel;
  /** Any number of non-empty texts; the limit of a request is the caller's to check (`checkInputs`). */
  readonly inputs: readonly string[];
  readonly parameters: EmbedParameters;
}

export interface EmbedResult {
  /** In the order of the inputs. */
  readonly embeddings: readonly Embedding[];
  /** At least 1; counted after truncation. */
  readonly totalTokens: number;
}

export interface RerankRequest {
  /** As the port handed it out. */
  readonly model: RerankModel;
  readonly query: string;
  readonly documents: readonly string[];
  readonly parameters: RerankParameters;
}

export interface RerankResult {
  /** From 0 to 1, in the order of the documents. */
  readonly scores: readonly number[];
  readonly rerankUnits: number;
}

export interface CallOptions {
  /** Ends the wait, and the work where that is possible. */
  readonly signal?: AbortSignal | undefined;
}

export interface Inference {
  /** In the order they are listed. */
  models(): readonly Model[];
  model(name: string): Model | undefined;
  /** Undefined for names of other models. */
  embeddingSource(model: string): EmbeddingSource | undefined;
  /**
   * All inputs or none.
   * @throws invalid-argument when an input is too long and `truncate` is NONE; overloaded when the queue of the
   *   model is full; model-unavailable when its provider is down, too slow or answers nonsense
   */
  embed(request: EmbedRequest, options?: CallOptions): Promise<EmbedResult>;
  /** @throws as `embed` */
  rerank(request: RerankRequest, options?: CallOptions): Promise<RerankResult>;
  /** What whoever starts the server should know, a sentence each; empty when every model is a real one. */
  notices(): readonly string[];
  close(): Promise<void>;
}
