// Where the vectors of an index come from: the provider of its model, and its revision.

/** The provider of the models that come with this server. */
export const BUILT_IN = 'built-in';

/**
 * Identifies who makes vectors. Vectors of two sources must never be compared: an index stores the source of its
 * vectors and refuses texts as soon as its model has another.
 */
export interface EmbeddingSource {
  /** Kind of the provider: `built-in`, `onnx`, `openai`. */
  readonly provider: string;
  /** Changes whenever the same text would get a different vector. */
  readonly revision: string;
}

/** Returns `built-in 1-ab12`, the form that an index stores and messages show. */
export function sourceText({ provider, revision }: EmbeddingSource): string {
  return `${provider} ${revision}`;
}
