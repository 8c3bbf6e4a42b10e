// The records of a snapshot in batches: namespace after namespace, ids in bytewise order.
import type { RecordBatch, RecordPosition } from '../../port/index-copies.ts';
import { type PackedRecords, packBodies } from '../../port/packed-records.ts';
import { NO_ROW_SUM, rowSumOf, takeSums } from '../storage/integrity/record-sums.ts';
import { rowKey } from '../storage/keys.ts';
import type { IndexSnapshot, NamedNamespace } from './index-snapshot.ts';

/** Unpacking a batch takes its receiver about a millisecond. */
const BATCH_RECORDS_MAX = 1_000;
const BATCH_BYTES = 4 * 2 ** 20;

interface Located {
  readonly row: number;
  readonly rowSum: number;
  readonly body: Buffer;
}

/**
 * @param range `namespace`: null for all; `after`: exclusive start, null for the beginning
 */
export function* readBatches(
  snapshot: IndexSnapshot,
  { namespace, after }: { readonly namespace: string | null; readonly after: RecordPosition | null },
): Generator<RecordBatch> {
  for (const named of snapshot.namespaces()) {
    if (namespace !== null && named.name !== namespace) continue;
    if (after !== null && named.name < after.namespace) continue;
    yield* batchesOf(snapshot, named, startIn(named, after));
  }
}

function startIn({ name }: NamedNamespace, after: RecordPosition | null): string | null {
  return after?.namespace === name ? after.id : null;
}

/** The records of one namespace. @param after exclusive start, null for the beginning */
export function* batchesOf(
  snapshot: IndexSnapshot,
  { name, row }: NamedNamespace,
  after: string | null,
): Generator<RecordBatch> {
  const { namespaceId, recordCount, sizeBytes, schema, isExplicit } = row;
  const summary = { number: namespaceId, name, recordCount, sizeBytes, schema, isExplicit };
  const { store } = snapshot.files;
  const { transaction } = snapshot;
  let batch: Located[] = [];
  let bytes = 0;
  for (const { id, row: at } of store.records.listIds(row.namespaceId, '', after, { transaction })) {
    const full = batch.length === BATCH_RECORDS_MAX || bytes > BATCH_BYTES ? batch : null;
    if (full !== null) {
      [batch, bytes] = [[], 0];
    }
    const value = store.records.database.get(rowKey(row.namespaceId, at), { transaction });
    if (value === undefined) throw new Error(`id ${JSON.stringify(id)} names row ${at}, which is missing`);
    const sums = takeSums(value, row.namespaceId, at);
    if (sums === null) throw new Error(`the record ${JSON.stringify(id)} is damaged`);
    batch.push({ row: at, rowSum: sums.rowSum, body: value.subarray(0, sums.end) });
    bytes += value.length + snapshot.rowBytes;
    if (full !== null) yield { namespace: summary, isLast: false, records: pack(snapshot, full) };
  }
  yield { namespace: summary, isLast: true, records: pack(snapshot, batch) };
}

function pack(snapshot: IndexSnapshot, batch: readonly Located[]): PackedRecords {
  const bodies = packBodies(batch.map(({ body }) => body));
  return { count: batch.length, values: readValues(snapshot, batch), bodies };
}

/** The values in the order of the records, read in the order of the rows: adjacent rows need one system call. */
function readValues(
  { profile, files, rowBytes }: IndexSnapshot,
  batch: readonly Located[],
): Float32Array<ArrayBuffer> | null {
  const { rowFile } = files;
  if (profile.dimension === null || rowFile === null) return null;
  const values = new Float32Array(batch.length * profile.dimension);
  const into = new Uint8Array(values.buffer);
  const order = batch.map(({ row, rowSum }, index) => ({ row, rowSum, index })).sort((a, b) => a.row - b.row);
  const run = new Uint8Array(batch.length * rowBytes);
  for (let first = 0; first < order.length; ) {
    const { row = 0 } = order[first] ?? {};
    let count = 1;
    while (order[first + count]?.row === row + count) count++;
    rowFile.read(row, count, run);
    for (let i = 0; i < count; i++) {
      const { index = 0, rowSum = NO_ROW_SUM } = order[first + i] ?? {};
      const bytes = run.subarray(i * rowBytes, (i + 1) * rowBytes);
      if (rowSum !== NO_ROW_SUM && rowSum !== rowSumOf(bytes)) throw new Error(`row ${row + i} is damaged`);
      into.set(bytes, index * rowBytes);
    }
    first += count;
  }
  return values;
}
