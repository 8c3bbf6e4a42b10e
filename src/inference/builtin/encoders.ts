// The built-in encoders: dense and sparse vectors and relevance of English text, without downloads or a network.
import { relatedTables, tables } from './tables.ts';

export {
  DENSE_DIMENSION_MAX,
  DENSE_DIMENSION_MIN,
  type DenseOptions,
  encodeDense,
  type InputType,
} from './dense.ts';
export { type ExpandedQuery, expandQuery } from './expand-query.ts';
export { relevance, scorerOf } from './relevance.ts';
export { REVISION } from './revision.ts';
export {
  encodeSparse,
  type SparseEncoding,
  type SparseForm,
  type SparseOptions,
  termIndices,
} from './sparse.ts';
export { type Cut, countTokens, truncateTo } from './tokens.ts';

/** Reads the tables now instead of with the first text. */
export function warmUp(): void {
  tables();
  relatedTables();
}
