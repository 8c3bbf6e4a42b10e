// Predicates on entries, a block at a time: each writes one bit per entry without branches, equally fast at any
// selectivity.
import { type Area, isIn } from '../../../domain/filter/geo.ts';
import { isEmptyList } from './cell.ts';
import type { CellRange, NumericRange } from './cell-order.ts';
import { type CellSet, firstBucket, mixWords, secondBucket } from './cell-set.ts';
import { ENTRY_BITS_WORDS, type SharedViews } from './layout.ts';

/** Cells of one block. */
export interface BlockCells {
  /** Index of the first cell in `numbers` and `cells` of the views. */
  readonly firstCell: number;
  readonly count: number;
}

/** Entries of one block: indices into the views. */
export interface Entries extends BlockCells {
  readonly views: SharedViews;
  /** Faster tests, where there are such. */
  readonly cellTests?: CellTests | undefined;
}

/** Tests of a block's cells as an EntryPredicate makes them, by the kernel. */
export interface CellTests {
  testWithin(cells: BlockCells, range: NumericRange, bits: Uint32Array): void;
  testCell(cells: BlockCells, cell: Cell, bits: Uint32Array): void;
  /** Takes a set for `testMember`. @returns false when there is no room for it */
  takeSet(set: CellSet): boolean;
  testMember(cells: BlockCells, bits: Uint32Array): void;
}

/** Sets bit i of `bits` (32 a word) when entry i passes, and clears it otherwise, up to the last word in use. */
export type EntryPredicate = (entries: Entries, bits: Uint32Array) => void;

/** A predicate, and the cells that it passes where they are a few ranges, which sorted runs find; null for any others. */
export interface EntryTest {
  readonly passes: EntryPredicate;
  readonly ranges: readonly CellRange[] | null;
}

/** Passes every entry. */
export const isAnything: EntryPredicate = ({ count }, bits) => {
  for (let word = 0; word * 32 < count; word++) bits[word] = lowBits(count - word * 32);
};

/** Passes what another predicate does not, and no entry of an empty list. */
export function isOther(test: EntryPredicate | null): EntryPredicate {
  const same = new Uint32Array(ENTRY_BITS_WORDS);
  return (entries, bits) => {
    const { views, firstCell, count } = entries;
    same.fill(0);
    test?.(entries, same);
    for (let from = 0; from < count; from += 32) {
      const to = Math.min(from + 32, count);
      let word = 0;
      for (let at = from; at < to; at++) {
        const firstWord = (firstCell + at) * 2;
        const isEmpty = isEmptyList(views.words[firstWord] ?? 0, views.words[firstWord + 1] ?? 0);
        word |= Number(!isEmpty) << at;
      }
      bits[from >>> 5] = word & ~(same[from >>> 5] ?? 0);
    }
  };
}

/** Passes numbers of a range. */
export function isWithin({ low, high }: NumericRange): EntryPredicate {
  return (entries, bits) => {
    const { views, firstCell, count, cellTests } = entries;
    if (cellTests !== undefined) {
      cellTests.testWithin(entries, { low, high }, bits);
      return;
    }
    const { numbers } = views;
    for (let from = 0; from < count; from += 32) {
      const to = Math.min(from + 32, count);
      let word = 0;
      for (let at = from; at < to; at++) {
        const value = numbers[firstCell + at] ?? 0;
        word |= (Number(value >= low) & Number(value <= high)) << at;
      }
      bits[from >>> 5] = word;
    }
  };
}

/** Passes cells of places in an area. */
export function isPlaceIn(area: Area): EntryPredicate {
  const test = isIn(area);
  return ({ views: { words }, firstCell, count }, bits) => {
    for (let from = 0; from < count; from += 32) {
      const to = Math.min(from + 32, count);
      let word = 0;
      for (let at = from; at < to; at++) {
        const firstWord = (firstCell + at) * 2;
        // Signed: `| 0` undoes what storing them as uint32 did.
        const latitude = (words[firstWord] ?? 0) | 0;
        const longitude = (words[firstWord + 1] ?? 0) | 0;
        word |= Number(test({ latitude, longitude })) << at;
      }
      bits[from >>> 5] = word;
    }
  };
}

/** A cell by its two words, and its bits. */
export interface Cell {
  readonly low: number;
  readonly high: number;
  readonly bits: bigint;
}

/** Passes one cell. */
export function isCell({ low, high, bits: expected }: Cell): EntryPredicate {
  return (entries, bits) => {
    const { views, firstCell, count, cellTests } = entries;
    if (cellTests !== undefined) {
      cellTests.testCell(entries, { low, high, bits: expected }, bits);
      return;
    }
    const { cells } = views;
    for (let from = 0; from < count; from += 32) {
      const to = Math.min(from + 32, count);
      let word = 0;
      for (let at = from; at < to; at++) word |= Number(cells[firstCell + at] === expected) << at;
      bits[from >>> 5] = word;
    }
  };
}

/** Passes the cells of a set, whose content must stay. */
export function isMember(set: CellSet): EntryPredicate {
  let isTaken: boolean | null = null;
  return (entries, bits) => {
    const { views, firstCell, count, cellTests } = entries;
    isTaken ??= cellTests?.takeSet(set) ?? false;
    if (cellTests !== undefined && isTaken) {
      cellTests.testMember(entries, bits);
      return;
    }
    const { words, cells } = views;
    const { table, shift, keyLow, keyHigh } = set;
    for (let from = 0; from < count; from += 32) {
      const to = Math.min(from + 32, count);
      let word = 0;
      for (let at = from; at < to; at++) {
        const firstWord = (firstCell + at) * 2;
        const mixed = mixWords((words[firstWord] ?? 0) ^ keyLow, (words[firstWord + 1] ?? 0) ^ keyHigh);
        const cell = cells[firstCell + at];
        const isFirst = Number(table[firstBucket(mixed, shift)] === cell);
        word |= (isFirst | Number(table[secondBucket(mixed, shift)] === cell)) << at;
      }
      bits[from >>> 5] = word;
    }
  };
}

/** Clears the bits of entries whose word, from `firstWord` on, is not `expected`. */
export function intersectWhereWord(
  { views: { words }, count }: Entries,
  bits: Uint32Array,
  { firstWord, expected }: { readonly firstWord: number; readonly expected: number },
): void {
  for (let from = 0; from < count; from += 32) {
    const to = Math.min(from + 32, count);
    let word = 0;
    for (let at = from; at < to; at++) word |= Number(words[firstWord + at] === expected) << at;
    bits[from >>> 5] = (bits[from >>> 5] ?? 0) & word;
  }
}

/** A word of `count` low bits; all 32 for more. */
function lowBits(count: number): number {
  return count >= 32 ? 0xffffffff : (1 << count) - 1;
}
