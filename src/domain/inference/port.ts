// The inference port: embedding and reranking, whichever provider serves a model.
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
  /** One per index, present exactly when `returnTokens` was requested; expanded queries have none. */
  readonly tokens?: readonly string[];
}

export type Embedding = DenseEmbedding | SparseEmbedding;

export interface EmbedRequest {
  /** A model that the port returned. */
  readonly model: EmbedModel;
  /** Any number of non-empty texts; callers check the limit of a request (`checkInputs`). */
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
  /** A model that the port returned. */
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

export interface InferRequest {
  /** A model that tells entailment. */
  readonly model: RerankModel;
  readonly premise: string;
  readonly hypotheses: readonly string[];
}

/** How a hypothesis relates to its premise: probabilities that sum to 1. Models with two outputs know no neutral. */
export interface NliProbabilities {
  readonly entailment: number;
  readonly neutral: number;
  readonly contradiction: number;
}

export interface CallOptions {
  /** Ends the wait and, where possible, the work. */
  readonly signal?: AbortSignal | undefined;
}

export interface Inference {
  /** In listing order. */
  models(): readonly Model[];
  model(name: string): Model | undefined;
  /** Undefined for other models. */
  embeddingSource(model: string): EmbeddingSource | undefined;
  /** True for a model that this server computes from its own tables; false for all others. */
  isBuiltIn(model: string): boolean;
  /**
   * Embeds all inputs or none.
   * @throws invalid-argument when an input is too long and `truncate` is NONE; overloaded when the queue of the
   *   model is full; model-unavailable when its provider is down, too slow or answers nonsense
   */
  embed(request: EmbedRequest, options?: CallOptions): Promise<EmbedResult>;
  /** @throws as `embed` */
  rerank(request: RerankRequest, options?: CallOptions): Promise<RerankResult>;
  /** True for a reranker that is a model of natural language inference. */
  tellsEntailment(model: string): boolean;
  /**
   * Judges hypotheses by a premise, in their order; texts over the limit of the model are cut at their end.
   * @throws as `embed`
   */
  infer(request: InferRequest, options?: CallOptions): Promise<readonly NliProbabilities[]>;
  /** Notices for whoever starts the server, one sentence each; empty when every model is a real one. */
  notices(): readonly string[];
  close(): Promise<void>;
}
