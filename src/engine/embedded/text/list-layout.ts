// The layout of a search of posting lists in a reader's scratch space.
import {
  TEXT_CLAUSE_BYTES,
  TEXT_CURSOR_BYTES,
  TEXT_GROUP_SHIFT,
  TEXT_HIT_BYTES,
  TEXT_HITS_MAX,
  TEXT_MEMBER_BYTES,
  TEXT_SEARCH_BYTES,
  TEXT_WINDOW_SLOTS,
} from '../kernels/text-lists-constants.ts';

const ALIGN_BYTES = 64;
/** Terms whose decoded blocks are kept from one slot that is looked up to the next. */
const LOOKUPS_MAX = 32;

export interface ListSearchSize {
  /** Maximum members of all clauses. */
  readonly terms: number;
  /** Maximum scores to keep. */
  readonly capacity: number;
  readonly slots: number;
  /** Of the tables of frames and lengths. */
  readonly tableBytes: number;
}

/** Addresses of the blocks of a search. */
export interface ListSearchLayout extends ListSearchSize {
  readonly search: number;
  readonly cursors: number;
  readonly clauses: number;
  readonly members: number;
  readonly tables: number;
  readonly sums: number;
  readonly order: number;
  /** Of cursors that look single slots up. */
  readonly lookups: number;
  readonly lookupCount: number;
  readonly hits: number;
  readonly heap: number;
  readonly matches: number;
  /** First byte after the last block. */
  readonly end: number;
}

/** Lays out a search from an address, a multiple of 64. */
export function layOutListSearch(address: number, size: ListSearchSize): ListSearchLayout {
  const { terms, capacity, slots, tableBytes } = size;
  const search = address;
  const cursors = search + align(TEXT_SEARCH_BYTES);
  const clauses = cursors + align(2 * terms * TEXT_CURSOR_BYTES);
  const members = clauses + align(terms * TEXT_CLAUSE_BYTES);
  const tables = members + align(terms * TEXT_MEMBER_BYTES);
  const sums = tables + align(tableBytes);
  const order = sums + align(TEXT_WINDOW_SLOTS * 4 + (TEXT_WINDOW_SLOTS >> TEXT_GROUP_SHIFT));
  const lookups = order + align(terms * 4);
  const lookupCount = Math.min(terms, LOOKUPS_MAX);
  const hits = lookups + align(lookupCount * TEXT_CURSOR_BYTES);
  const heap = hits + align(TEXT_HITS_MAX * TEXT_HIT_BYTES);
  const matches = heap + align(4 * capacity);
  const end = matches + align(Math.ceil(slots / 32) * 4);
  return {
    ...{ terms, capacity, slots, tableBytes, search, cursors, clauses, members, tables, sums, order },
    ...{ lookups, lookupCount, hits, heap, matches, end },
  };
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGN_BYTES) * ALIGN_BYTES;
}
