// Vectors of some records of a namespace, evenly spaced, by which to judge all of them.
import { rangeOf } from './database.ts';
import type { IndexFiles } from './index-files.ts';
import { namespaceIdKey, rowKey, rowOfKey } from './keys.ts';

const ROW_MAX = 2 ** 32 - 1;
/** Well below a millisecond where rows are in the system's cache. */
const ROWS_A_READ = 64;

export interface Spread {
  readonly namespaceId: number;
  readonly dimension: number;
  /** Vectors, at most. */
  readonly count: number;
}

/**
 * Vectors of the latest records, in the order of their rows, whose checksums are not compared: some at a time, between
 * which writes may come.
 */
export function* spreadRows(
  { rowFile, store }: IndexFiles,
  { namespaceId, dimension, count }: Spread,
): Generator<readonly Float32Array[]> {
  const first = nextRow(store, namespaceId, 0);
  const last = lastRow(store, namespaceId);
  if (rowFile === null || first === null || last === null) return;
  let from = first;
  for (let at = 0; at < count; at += ROWS_A_READ) {
    store.refresh();
    const rows: Float32Array[] = [];
    for (let nth = at; nth < Math.min(count, at + ROWS_A_READ); nth++) {
      const wanted = first + Math.floor(((last - first) * nth) / Math.max(1, count - 1));
      const row = nextRow(store, namespaceId, Math.max(from, wanted));
      if (row === null) break;
      const values = new Float32Array(dimension);
      rowFile.read(row, 1, new Uint8Array(values.buffer));
      rows.push(values);
      from = row + 1;
    }
    yield rows;
  }
}

type Store = IndexFiles['store'];

function nextRow(store: Store, namespaceId: number, from: number): number | null {
  const range = rangeOf(rowKey(namespaceId, from), rowKey(namespaceId, ROW_MAX));
  return firstRowOf(store, { ...range, limit: 1 });
}

function lastRow(store: Store, namespaceId: number): number | null {
  const range = { start: rowKey(namespaceId, ROW_MAX), end: namespaceIdKey(namespaceId) };
  return firstRowOf(store, { ...range, limit: 1, reverse: true });
}

function firstRowOf(
  { records }: Store,
  range: Parameters<Store['records']['database']['getKeys']>[0],
): number | null {
  for (const key of records.database.getKeys(range)) return rowOfKey(key);
  return null;
}
