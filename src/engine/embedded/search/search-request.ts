// A query as the search carries it: with the counters of its explanation, where the caller wants one.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';

export interface SearchRequest extends QueryRequest {
  /** Filled with what the search does. */
  readonly explain?: QueryExplain | null;
}
