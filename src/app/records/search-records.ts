// The search of both search endpoints: by given vectors, or by those of a stored record.
import type { VectorPair } from '../../domain/records/vector-record.ts';
import type { Match, QueryRequest, VectorReader } from './record-access.ts';

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

async function vectorsOf(store: VectorReader, namespace: string, id: string): Promise<VectorPair | null> {
  const [record] = await store.fetch(namespace, [id]);
  return record === undefined ? null : { values: record.values, sparse: record.sparse };
}
