// How long the change log of an index is, without reading it.
import type { Bytes } from '../storage/database.ts';
import { seqOfKey } from '../storage/keys.ts';
import { EFFECT_BYTES } from './effects.ts';

/** What LMDB keeps beside the value of an entry: its head, its key, and where it lies in the page. */
const ENTRY_BYTES = 20;

/** What of LMDB's statistics of a database is used; its types leave them out. */
interface Pages {
  readonly pageSize: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

/**
 * Estimates how many effects the log keeps, from the pages that it takes: by what pages have free at their ends too many,
 * at most twice as many where entries take more than half a page.
 * @param end the number after that of the last write
 * @returns the estimate for the part of the log from a write on, as if all writes had as many
 */
export function loggedEffects(changes: Bytes, end: number): (fromSeq: number) => number {
  const [firstKey] = changes.getKeys({ limit: 1 });
  if (firstKey === undefined) return () => 0;
  const first = seqOfKey(firstKey);
  const { pageSize, treeLeafPageCount, overflowPages, entryCount } = changes.getStats() as Pages;
  const bytes = (treeLeafPageCount + overflowPages) * pageSize - entryCount * ENTRY_BYTES;
  const aWrite = Math.max(entryCount, bytes / EFFECT_BYTES) / Math.max(1, end - first);
  return (fromSeq) => Math.round(aWrite * Math.max(0, end - Math.max(first, fromSeq)));
}
