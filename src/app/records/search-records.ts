// The search of both search endpoints: by given vectors, or by those of a stored record.
import type { VectorPair } from '../../domain/records/vector-record.ts';
import type { Match, QueryRequest, VectorReader } from './record-access.ts';
import { type FusedSearch, searchFused } from './search-fused.ts';
import { withRecords } from './with-records.ts';

/** Vectors to search by, or the id of the record that has them. */
export type SearchTarget = { readonly vectors: VectorPair } | { readonly id: string };

/** Returns the top matches, best first; none when no record has the target's id. */
export async function searchStore(
  store: VectorReader,
  target: SearchTarget,
  options: Omit<QueryRequest, 'values' | 'sparse'>,
): Promise<readonly Match[]> {
  const vectors = await vectorsOfTarget(store, options.namespace, target);
  return vectors === null ? [] : store.query({ ...options, ...vectors });
}

/** Finds the top matches of a text. */
export type TextSearch = (
  store: Pick<VectorReader, 'query'>,
  request: QueryRequest,
) => Promise<readonly Match[]>;

/**
 * The top matches of a text. Where `text` ranks, the records that only share words with its sparse vector follow: those
 * that no term of the query finds, as records without the text, or for queries of common words only. Their scores are at
 * most that of the last one before, since the two have no common scale.
 */
export const searchStoreByText: TextSearch = (store, request) => textSearches()(store, request);

/**
 * As `searchStoreByText`, for several searches of one answer, of which each looks further than those before: what follows
 * in one follows all that `text` has ranked in any.
 */
export function textSearches(): TextSearch {
  let lowest = Number.POSITIVE_INFINITY;
  return async (store, request) => {
    const { text = null, ...byVector } = request;
    if (text === null) return store.query(byVector);
    const ranked = await store.query(request);
    lowest = Math.min(lowest, ranked.at(-1)?.score ?? lowest);
    if (ranked.length >= request.topK) return ranked;
    const known = new Set(ranked.map(({ id }) => id));
    const others = (await store.query(byVector)).filter(({ id }) => !known.has(id));
    const following = others.map((match) => ({ ...match, score: Math.min(match.score, lowest) }));
    return [...ranked, ...following].slice(0, request.topK);
  };
}

/** The top matches by the dense vector and by the sparse one, fused: by one alone where the target's record lacks the other. */
export async function searchStoreFused(
  store: VectorReader,
  target: SearchTarget,
  search: FusedSearch,
): Promise<readonly Match[]> {
  const { options, weights } = search;
  const vectors = await vectorsOfTarget(store, options.namespace, target);
  const { values, sparse } = vectors ?? { values: null, sparse: null };
  const rankings = [
    { target: { values, sparse: null }, weight: weights[0] ?? 1, isGiven: values !== null },
    { target: { values: null, sparse }, weight: weights[1] ?? 1, isGiven: sparse !== null },
  ].filter(({ isGiven }) => isGiven);
  const fused = await searchFused(
    store,
    rankings.map((each) => each.target),
    { ...search, weights: rankings.map(({ weight }) => weight) },
  );
  return withRecords(store, fused, options);
}

/** Null when no record has the target's id. */
export async function vectorsOfTarget(
  store: VectorReader,
  namespace: string,
  target: SearchTarget,
): Promise<VectorPair | null> {
  if (!('id' in target)) return target.vectors;
  const [record] = await store.fetch(namespace, [target.id]);
  return record === undefined ? null : { values: record.values, sparse: record.sparse };
}
