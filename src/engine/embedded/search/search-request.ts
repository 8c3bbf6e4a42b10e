// A query as the search carries it: with the counters of its explanation, where the caller requests one.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';

export interface SearchRequest extends QueryRequest {
  /** Filled while the search runs. */
  readonly explain?: QueryExplain | null;
}
