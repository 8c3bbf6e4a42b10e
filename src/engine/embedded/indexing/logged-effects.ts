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

/** How many effects a part of the log keeps. */
export interface EffectsEstimate {
  readonly least: number;
  readonly most: number;
}

const NO_EFFECTS: EffectsEstimate = { least: 0, most: 0 };
/** Entries that take more than half a page leave as much free at its end. */
const PAGE_SHARE_MIN = 0.5;

/**
 * Estimates how many effects the log keeps, from the pages that it takes: by what pages have free at their ends too many,
 * at most twice as many.
 * @param end the number after that of the last write
 * @returns the estimate for the part of the log from a write on, as if all writes had as many
 */
export function loggedEffects(changes: Bytes, end: number): (fromSeq: number) => EffectsEstimate {
  const [firstKey] = changes.getKeys({ limit: 1 });
  if (firstKey === undefined) return () => NO_EFFECTS;
  const first = seqOfKey(firstKey);
  const { pageSize, treeLeafPageCount, overflowPages, entryCount } = changes.getStats() as Pages;
  const pageBytes = (treeLeafPageCount + overflowPages) * pageSize;
  const aWrite = (usedBytes: number) =>
    Math.max(entryCount, (usedBytes - entryCount * ENTRY_BYTES) / EFFECT_BYTES) / Math.max(1, end - first);
  const [least, most] = [aWrite(pageBytes * PAGE_SHARE_MIN), aWrite(pageBytes)];
  return (fromSeq) => {
    const writes = Math.max(0, end - Math.max(first, fromSeq));
    return { least: Math.floor(least * writes), most: Math.round(most * writes) };
  };
}
