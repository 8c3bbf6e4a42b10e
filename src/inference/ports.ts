// The provider ports behind inference: one batch of texts to vectors, or of documents to scores.

import type { EmbeddingSource } from '../domain/embedding/embedding-source.ts';
import type { Embedding } from '../domain/inference/port.ts';
import type { EmbedParameters, RerankParameters } from '../domain/inference/read-parameters.ts';

/** How much one call may hold, and how many calls may run at a time. */
export interface BatchBounds {
  readonly countMax: number;
  /** Sum over the texts of a batch; a longer text goes alone. */
  readonly charsMax: number;
  readonly parallelMax: number;
}

export interface EmbedBatch {
  /** Well-formed Unicode, never empty. */
  readonly texts: readonly string[];
  readonly parameters: EmbedParameters;
}

export interface EmbedAnswer {
  readonly embeddings: readonly Embedding[];
  /** Of each text, after truncation. */
  readonly tokens: readonly number[];
}

interface Provider {
  /** Where the work is done: models of one place fail together. */
  readonly place: string;
  readonly source: EmbeddingSource;
  readonly bounds: BatchBounds;
  /** Whether asking again costs more than keeping the answer. */
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
  readonly parameters: RerankParameters;
}

export interface Reranker extends Provider {
  /**
   * One score a document, 0 to 1, that does not depend on the other documents.
   * @throws TooLong, ProviderError, or the signal's reason
   */
  score(batch: RerankBatch, signal: AbortSignal): Promise<readonly number[]>;
}
