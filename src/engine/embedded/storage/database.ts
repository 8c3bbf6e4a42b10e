// The type of the store's LMDB databases, and ranges of their keys.
import type { Database, Transaction } from 'lmdb';
import { keyAfterPrefix } from './keys.ts';

const ZERO = Buffer.alloc(1);

export type Bytes = Database<Buffer, Buffer>;
/** The transaction to read in; default the latest snapshot of the thread. */
export type Reading = { readonly transaction?: Transaction };

/** Keys from `start` up to, but not including, `end`; undefined for no end. */
export function rangeOf(start: Buffer, end: Buffer | undefined): { start: Buffer; end?: Buffer } {
  return end === undefined ? { start } : { start, end };
}

/** Keys with the prefix that come after `after`, which need not have the prefix itself. */
export function pageOf(prefix: Buffer, after: Buffer | null): { start: Buffer; end?: Buffer } {
  const next = after === null ? prefix : Buffer.concat([after, ZERO]);
  return rangeOf(Buffer.compare(next, prefix) < 0 ? prefix : next, keyAfterPrefix(prefix));
}
