// The records of a snapshot in batches: namespace after namespace, ids in bytewise order.
import type { RecordBatch, RecordPosition } from '../../port/index-copies.ts';
import { type PackedRecords, packBodies } from '../../port/packed-records.ts';
import { rowKey } from '../storage/keys.ts';
import type { IndexSnapshot, NamedNamespace } from './index-snapshot.ts';

/** Taking a batch apart takes its receiver about a millisecond. */
const BATCH_RECORDS_MAX = 1_000;
const BATCH_BYTES = 4 * 2 ** 20;

interface Located {
  readonly row: number;
  readonly body: Buffer;
}

/**
 * @param range only this namespace, null for all; from after this place, null for the start
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

function* batchesOf(
  snapshot: IndexSnapshot,
  { name, row }: NamedNamespace,
  after: string | null,
): Generator<RecordBatch> {
  const { recordCount, sizeBytes, schema } = row;
  const summary = { name, recordCount, sizeBytes, schema };
  const { store } = snapshot.files;
  const { transaction } = snapshot;
  let lot: Located[] = [];
  let bytes = 0;
  for (const { id, row: at } of store.idsFrom(row.spaceId, '', after, { transaction })) {
    const full = lot.length === BATCH_RECORDS_MAX || bytes > BATCH_BYTES ? lot : null;
    if (full !== null) {
      [lot, bytes] = [[], 0];
    }
    const value = store.records.get(rowKey(row.spaceId, at), { transaction });
    if (value === undefined) throw new Error(`id ${JSON.stringify(id)} names row ${at}, which is missing`);
    lot.push({ row: at, body: value });
    bytes += value.length + snapshot.rowBytes;
    if (full !== null) yield { namespace: summary, isLast: false, records: pack(snapshot, full) };
  }
  yield { namespace: summary, isLast: true, records: pack(snapshot, lot) };
}

function pack(snapshot: IndexSnapshot, lot: readonly Located[]): PackedRecords {
  const bodies = packBodies(lot.map(({ body }) => body));
  return { count: lot.length, values: readValues(snapshot, lot), bodies };
}

/** The values in the order of the records, but read in the order of the rows: neighbours come with one system call. */
function readValues(
  { profile, files, rowBytes }: IndexSnapshot,
  lot: readonly Located[],
): Float32Array<ArrayBuffer> | null {
  const { rowFile } = files;
  if (profile.dimension === null || rowFile === null) return null;
  const values = new Float32Array(lot.length * profile.dimension);
  const into = new Uint8Array(values.buffer);
  const order = lot.map(({ row }, place) => ({ row, place })).sort((a, b) => a.row - b.row);
  const run = new Uint8Array(lot.length * rowBytes);
  for (let first = 0; first < order.length; ) {
    const { row = 0 } = order[first] ?? {};
    let count = 1;
    while (order[first + count]?.row === row + count) count++;
    rowFile.read(row, count, run);
    for (let i = 0; i < count; i++) {
      const { place = 0 } = order[first + i] ?? {};
      into.set(run.subarray(i * rowBytes, (i + 1) * rowBytes), place * rowBytes);
    }
    first += count;
  }
  return values;
}
