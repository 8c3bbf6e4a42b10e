// The search of both search endpoints: by given vectors, or by those of a stored record.
import type { VectorPair } from '../../domain/records/vector-record.ts';
import type { Match, QueryRequest, VectorReader } from './record-access.ts';
import { type FusedSearch, searchFused } from './search-fused.ts';

/** Vectors to search by, or the id of the record that has them. */
export type SearchTarget = { readonly vectors: VectorPair } | { readonly id: string };

/** Returns the top matches, best first; none when no record has the target's id. */
export async function searchStore(
  store: VectorReader,
  target: SearchTarget,
  options: Omit<QueryRequest, 'values' | 'sparse'>,
): Promise<readonly Match[]> {
  const vectors = 'id' in target ? await vectorsOf(store, options.namespace, target.id) : target.vectors;
  return vectors === null ? [] : store.query({ ...options, ...vectors });
}

/** The top matches by the dense vector and by the sparse one, fused: by one alone where the target's record lacks the other. */
export async function searchStoreFused(
  store: VectorReader,
  target: SearchTarget,
  search: FusedSearch,
): Promise<readonly Match[]> {
  const { options, weights } = search;
  const vectors = 'id' in target ? await vectorsOf(store, options.namespace, target.id) : target.vectors;
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
  return options.includeValues || options.includeMetadata ? withRecords(store, fused, options) : fused;
}

/** The matches with the requested parts of their records; without those that are gone meanwhile. */
async function withRecords(
  store: VectorReader,
  matches: readonly Match[],
  {
    namespace,
    includeValues,
    includeMetadata,
  }: Pick<QueryRequest, 'namespace' | 'includeValues' | 'includeMetadata'>,
): Promise<readonly Match[]> {
  const ids = matches.map(({ id }) => id);
  const records = new Map((await store.fetch(namespace, ids)).map((record) => [record.id, record]));
  return matches.flatMap((match) => {
    const record = records.get(match.id);
    if (record === undefined) return [];
    const { values, sparse, metadataJson } = record;
    return [{ ...match, ...(includeValues && { values, sparse }), ...(includeMetadata && { metadataJson }) }];
  });
}

async function vectorsOf(store: VectorReader, namespace: string, id: string): Promise<VectorPair | null> {
  const [record] = await store.fetch(namespace, [id]);
  return record === undefined ? null : { values: record.values, sparse: record.sparse };
}
