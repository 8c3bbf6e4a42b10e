// A query as the search carries it: with the counters of its explanation, where the caller requests one.
import type { QueryExplain } from '../../../domain/query-explain.ts';
import type { QueryRequest } from '../../port/reader-and-writer.ts';

export interface SearchRequest extends QueryRequest {
  /** Filled while the search runs. */
  readonly explain?: QueryExplain | null;
  /** Told how many records match, where the search finds out. Only of searches by words. */
  readonly counter?: MatchCounter | null;
}

/** Filled by the last try of a search. */
export interface MatchCounter {
  /** Null while nothing tells. */
  matched: number | null;
}
