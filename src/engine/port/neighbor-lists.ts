// The nearest records of many stored ones: one search each, beside the records.
import type { VectorReader } from './reader-and-writer.ts';

export interface NeighborRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  /** Neighbors of each, at most. */
  readonly limit: number;
  /** Factor on the usual effort of a search, above 0; default 1. */
  readonly effort?: number;
}

/** The nearest records of each id, best first, without itself; none for an id without a vector or a record. */
export interface NeighborLists {
  /** In the order of the ids. */
  readonly counts: readonly number[];
  /** Those of all ids, one after the other. */
  readonly ids: readonly string[];
  readonly scores: Float32Array<ArrayBuffer>;
}

/** By the dense vectors of records, and by the sparse ones of those that have no other. */
export async function neighborLists(
  reader: Pick<VectorReader, 'fetch' | 'query'>,
  { namespace, ids, limit, effort = 1 }: NeighborRequest,
): Promise<NeighborLists> {
  const records = new Map((await reader.fetch(namespace, ids)).map((record) => [record.id, record]));
  const counts: number[] = [];
  const found: { readonly id: string; readonly score: number }[] = [];
  for (const id of ids) {
    const { values = null, sparse = null } = records.get(id) ?? {};
    const hasVector = values !== null || sparse !== null;
    // One more, since a record is its own neighbor.
    const matches = hasVector
      ? await reader.query({
          ...{ namespace, topK: limit + 1, values, sparse: values === null ? sparse : null },
          ...{ filter: null, includeValues: false, includeMetadata: false, effort },
        })
      : [];
    const others = matches.filter((match) => match.id !== id).slice(0, limit);
    counts.push(others.length);
    found.push(...others);
  }
  return {
    counts,
    ids: found.map(({ id }) => id),
    scores: Float32Array.from(found, ({ score }) => score),
  };
}
