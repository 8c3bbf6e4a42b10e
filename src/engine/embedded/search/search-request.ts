// A query as the search carries it: with the counters of its explanation, where the caller requests one.
import type { IndexProfile } from '../../../domain/index-model.ts';
import type { QueryExplain } from '../../../domain/query-explain.ts';
import { scoresSparse } from '../../../domain/records/vector-record.ts';
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

/**
 * The request without what its index does not score.
 * @throws RangeError unless `topK` is a whole number of 1 or more: the layout of a search in memory depends on it
 */
export function scoredRequest(profile: IndexProfile, request: QueryRequest): QueryRequest {
  const { topK, values } = request;
  if (!Number.isSafeInteger(topK) || topK < 1) throw new RangeError(`a search for ${topK} results`);
  return values === null || scoresSparse(profile) ? request : { ...request, sparse: null };
}
