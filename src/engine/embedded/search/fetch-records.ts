// Reads whole records by their ids, in the order in which they lie on disk.
import type { StoredRecord } from '../../port/reader-and-writer.ts';
import type { NamespaceRows } from '../storage/checked-rows.ts';
import type { LocatedRecord, RecordTable } from '../storage/record-table.ts';

/** Rows that are read, and kept in memory, together. */
const BATCH_ROWS = 64;

export interface FetchedFrom {
  readonly records: Pick<RecordTable, 'rowOfId' | 'get' | 'damage'>;
  readonly namespaceId: number;
  /** Null on sparse indexes. */
  readonly rows: NamespaceRows | null;
}

/** A record, and which of the ids asked for it has. */
type Fetched = LocatedRecord & { readonly at: number };

/** The records that exist, in the order of the ids. @throws the table's `damage` */
export function fetchRecords(from: FetchedFrom, ids: readonly string[]): readonly StoredRecord[] {
  const found = locate(from, ids)
    .sort((a, b) => a.row - b.row)
    .map((each) => bodyOf(from, each));
  const fetched: StoredRecord[] = [];
  for (let first = 0; first < found.length; first += BATCH_ROWS) {
    const batch = found.slice(first, first + BATCH_ROWS);
    const vectors = vectorsOf(from, batch);
    batch.forEach(({ at, id, sparse, metadataJson }, i) => {
      fetched[at] = { id, values: vectors?.[i] ?? null, sparse, metadataJson };
    });
  }
  // Leaves out the places of ids that no record has.
  return fetched.filter(() => true);
}

function locate(
  { records, namespaceId }: FetchedFrom,
  ids: readonly string[],
): { readonly at: number; readonly id: string; readonly row: number }[] {
  return ids.flatMap((id, at) => {
    const row = records.rowOfId(namespaceId, id);
    return row === undefined ? [] : [{ at, id, row }];
  });
}

function bodyOf(
  { records, namespaceId }: FetchedFrom,
  { at, id, row }: { readonly at: number; readonly id: string; readonly row: number },
): Fetched {
  const body = records.get(namespaceId, row);
  if (body?.id !== id)
    throw records.damage(`id ${JSON.stringify(id)} names row ${row}, which does not hold it`);
  return { at, row, ...body };
}

/** The dense vectors of records, as views of one buffer. */
function vectorsOf({ rows }: FetchedFrom, batch: readonly Fetched[]): readonly Float32Array[] | null {
  if (rows === null) return null;
  const { dimension } = rows;
  const values = new Float32Array(batch.length * dimension);
  rows.readRows(
    batch.map(({ row }) => row),
    new Uint8Array(values.buffer),
    { sums: batch.map(({ rowSum }) => rowSum) },
  );
  return batch.map((_, i) => values.subarray(i * dimension, (i + 1) * dimension));
}
