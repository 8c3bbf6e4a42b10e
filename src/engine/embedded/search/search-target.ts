// The interface that searches in memory and searches on disk share.
import type { Filter } from '../../../domain/filter/grammar.ts';
import type { FieldCounts } from '../../../domain/records/value-counts.ts';
import type { FilteredRequest, MatchTargets, ValuesRequest } from '../../port/reader-and-writer.ts';
import type { RecordBody } from '../../port/record-codec.ts';
import type { FoundPage } from './found-page.ts';
import type { SearchRequest } from './search-request.ts';

export interface SearchTarget {
  readonly namespaceId: number;
  /** Fields that filters may use; null for all. */
  readonly filterable: readonly string[] | null;
  /** True for a branch that shows records of its base; default false. */
  readonly isShared?: boolean;
}

export interface Hit {
  /** At least with the parts that the request includes. */
  readonly record: Omit<RecordBody, 'seq'>;
  readonly row: number;
  /** As answered: Euclidean scores are squared distances. */
  readonly score: number;
}

/** What a page of matching records starts after, in which order, and where it ends. */
export type PageRequest = Pick<FilteredRequest, 'after' | 'limit' | 'bytesMax' | 'order'>;

/** Each method may return null when a write overtook it: search again. All run while the reader is pinned. */
export interface NamespaceSearch {
  /** Best first; ties by id. */
  query(target: SearchTarget, request: SearchRequest): readonly Hit[] | null;
  /** An order is by a field that filters can use. */
  pageOf(target: SearchTarget, filter: Filter, page: PageRequest): FoundPage | null;
  count(target: SearchTarget, filter: Filter | null, among: MatchTargets): number | null;
  /** As the port's method of this name; fields that filters cannot use are not among the request's. */
  countValues(target: SearchTarget, request: ValuesRequest): readonly FieldCounts[] | null;
}

/** Orders hits as answers are: Euclidean scores ascending, others descending; ties by id. */
export function byScore(metric: string): (a: Hit, b: Hit) => number {
  const sign = metric === 'euclidean' ? 1 : -1;
  return (a, b) => sign * (a.score - b.score) || compareIds(a.record.id, b.record.id);
}

/**
 * Up to this many hits, which arrive nearly sorted, are sorted by insertion, in a fifth of the time of the runtime's
 * sort.
 */
const INSERTED_MAX = 32;

/** Sorts as `byScore` does, in place. */
export function sortHits(hits: Hit[], metric: string): readonly Hit[] {
  const order = byScore(metric);
  if (hits.length > INSERTED_MAX) return hits.sort(order);
  for (let next = 1; next < hits.length; next++) {
    const hit = hits[next];
    if (hit === undefined) break;
    let at = next;
    for (; at > 0; at--) {
      const before = hits[at - 1];
      if (before === undefined || order(before, hit) <= 0) break;
      hits[at] = before;
    }
    hits[at] = hit;
  }
  return hits;
}

/** Ids are ASCII, so code unit order is byte order. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
