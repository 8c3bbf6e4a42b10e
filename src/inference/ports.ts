// The ports of providers: each turns one batch of texts into vectors, or of documents into scores.

import type { EmbeddingSource } from '../domain/embedding/embedding-source.ts';
import type { Embedding, NliProbabilities } from '../domain/inference/port.ts';
import type { EmbedParameters, RerankParameters } from '../domain/inference/read-parameters.ts';

/** Limits on the size of one call, and on concurrent calls. */
export interface BatchBounds {
  readonly countMax: number;
  /** Characters of all texts of a batch; a longer text is a batch of its own. */
  readonly charsMax: number;
  readonly parallelMax: number;
}

export interface EmbedBatch {
  /** Well-formed Unicode; not empty. */
  readonly texts: readonly string[];
  readonly parameters: EmbedParameters;
}

export interface EmbedAnswer {
  readonly embeddings: readonly Embedding[];
  /** Tokens of each text, after truncation. */
  readonly tokens: readonly number[];
}

interface Provider {
  /** Where the model runs. Models with the same location are down together. */
  readonly location: string;
  readonly source: EmbeddingSource;
  readonly bounds: BatchBounds;
  /** Whether computing a result again costs more than caching it. */
  readonly isCached: boolean;
  close(): Promise<void>;
}

export interface Embedder extends Provider {
  /** @throws TooLong, ProviderError, or the signal's reason */
  embed(batch: EmbedBatch, signal: AbortSignal): Promise<EmbedAnswer>;
}

export interface RerankBatch {
  readonly query: string;
  readonly documents: readonly string[];
  readonly limitCounts: 'pair' | 'document';
  /** Tokens of query and document together that the model reads, whatever the parameters say. */
  readonly pairTokensMax: number;
  readonly parameters: RerankParameters;
}

export interface Reranker extends Provider {
  /**
   * Returns one score for each document, from 0 to 1, independent of the other documents.
   * @throws TooLong, ProviderError, or the signal's reason
   */
  score(batch: RerankBatch, signal: AbortSignal): Promise<readonly number[]>;
  /** Of models of natural language inference: judges each document as a hypothesis, with the query as the premise. */
  infer?(batch: RerankBatch, signal: AbortSignal): Promise<readonly NliProbabilities[]>;
}
