// The built-in models: truncates texts to the limit and encodes them, on the calling thread.
import type { Embedding } from '../../../domain/inference/port.ts';
import {
  encodeDense,
  encodeSparse,
  expandQuery,
  relevance,
  type SparseForm,
} from '../../builtin/encoders.ts';
import { fitPairs, fitText, inBatchOrder } from '../../fit-texts.ts';
import type { EmbedAnswer, EmbedBatch, RerankBatch } from '../../ports.ts';

export type BuiltInEncoder = 'dense' | SparseForm;

/** A request to the thread. */
export interface BuiltInEmbedRequest {
  readonly encoder: BuiltInEncoder;
  readonly batch: EmbedBatch;
}

/** @throws TooLong */
export function embedBuiltIn(encoder: BuiltInEncoder, { texts, parameters }: EmbedBatch): EmbedAnswer {
  const fitted = texts.map((text, position) => fitText(text, position, parameters));
  const { inputType, returnTokens, expandsQuery } = parameters;
  const tokens = fitted.map((each) => each.tokens);
  if (encoder === 'dense') {
    const { dimension } = parameters;
    if (dimension === null) throw new Error('a dense vector needs a dimension');
    const vectors = encodeDense(
      fitted.map(({ text }) => text),
      { dimension, inputType },
    );
    return { embeddings: vectors.map((values): Embedding => ({ vectorType: 'dense', values })), tokens };
  }
  const isExpanded = expandsQuery === true && inputType === 'query' && encoder === 'words';
  const embeddings = fitted.map(({ text }): Embedding => {
    if (isExpanded) return { vectorType: 'sparse', ...expandQuery(text) };
    const { indices, values, tokens: words } = encodeSparse(text, { inputType, form: encoder });
    return { vectorType: 'sparse', indices, values, ...(returnTokens ? { tokens: words } : {}) };
  });
  return { embeddings, tokens };
}

/** @throws TooLong */
export function scoreBuiltIn(batch: RerankBatch): readonly number[] {
  const pairs = fitPairs(batch);
  return inBatchOrder(
    pairs,
    pairs.map(({ query, documents }) => relevance(query, documents)),
  );
}
