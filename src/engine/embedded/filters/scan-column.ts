// Runs a predicate over the blocks of a column, and turns bits of entries into bits of slots.
import {
  type CellTests,
  type EntryPredicate,
  type EntryTest,
  intersectWhereWord,
  isAnything,
} from './entry-predicate.ts';
import { type BlockLayout, COMMON_LAYOUT, ENTRY_BITS_WORDS, type SharedViews } from './layout.ts';
import { RANGES_MAX, RUN_BLOCKS, RUN_ENTRIES, type SortedRun } from './sorted-run.ts';

/** The part of a column that a reader may see. */
export interface ColumnPart {
  readonly views: SharedViews;
  readonly layout: BlockLayout;
  readonly addresses: readonly number[];
  /** The number of entries that are published and in known blocks. */
  readonly length: number;
  /** In the common column: the hash of the name whose entries count. */
  readonly nameHash: number;
  /** Of a column of one field: those of its first blocks. */
  readonly runs: readonly SortedRun[];
}

/** Bits of one block. Shared, because a scan runs to its end. */
const blockBits = new Uint32Array(ENTRY_BITS_WORDS);

interface ScanTarget {
  readonly bitmap: Uint32Array;
  /** Blocks are skipped that have none of these slots; default none. */
  readonly among?: Uint32Array | undefined;
  readonly from: number;
  readonly slotCount: number;
  readonly cellTests?: CellTests | undefined;
}

/** Sets the bit of each slot from `from` to `slotCount` - 1 with an entry that passes, and of some slots before. */
export function scanColumn(part: ColumnPart, test: EntryTest, target: ScanTarget): void {
  const blocks = Math.ceil(part.length / part.layout.entries);
  let block = target.from === 0 ? 0 : firstBlock(part, target.from);
  while (block < blocks) {
    const run = Math.floor(block / RUN_BLOCKS);
    const until = Math.min(blocks, (run + 1) * RUN_BLOCKS);
    const left = block === run * RUN_BLOCKS ? markRun(part, { run, test }, target) : test.passes;
    if (left !== null && !scanBlocks(part, { block, until, passes: left }, target)) return; // slots ascend
    block = until;
  }
}

/** Marks what passes of a sorted run. @returns the predicate by which it is to be scanned all the same; null for none */
function markRun(
  { runs, length }: ColumnPart,
  { run, test: { passes, ranges } }: { readonly run: number; readonly test: EntryTest },
  { bitmap, slotCount }: ScanTarget,
): EntryPredicate | null {
  const sorted = runs[run];
  if (sorted === undefined || ranges === null || ranges.length > RANGES_MAX) return passes;
  if ((run + 1) * RUN_ENTRIES > length || !sorted.isBelow(slotCount)) return passes;
  const outcome = sorted.mark(ranges, bitmap);
  if (outcome === 'done') return null;
  return outcome === 'all' ? isAnything : passes;
}

/** @returns false when a block has slots beyond `slotCount` */
function scanBlocks(
  part: ColumnPart,
  blocks: { readonly block: number; readonly until: number; readonly passes: EntryPredicate },
  { bitmap, among, slotCount, cellTests }: ScanTarget,
): boolean {
  const { views, layout, addresses } = part;
  for (let { block } = blocks; block < blocks.until; block++) {
    const address = addresses[block] ?? 0;
    views.reach(address);
    const firstWord = address / 4;
    const firstSlot = firstWord + layout.slotsAt;
    const published = Math.min(layout.entries, part.length - block * layout.entries);
    const count = countBelow(views.words, { firstSlot, count: published, slotCount });
    if (among !== undefined && count > 0 && !hasAny(among, slotsOf(views.words, { firstSlot, count }))) {
      if (count < published) return false;
      continue;
    }
    const entries = { views, firstCell: address / 8, count, cellTests };
    blocks.passes(entries, blockBits);
    if (layout === COMMON_LAYOUT) {
      intersectWhereWord(entries, blockBits, {
        firstWord: firstWord + layout.extrasAt,
        expected: part.nameHash,
      });
      scatter(views.words, { firstSlot, count }, bitmap);
    } else if (views.words[firstWord + layout.extrasAt] === 0) {
      shiftInto(bitmap, views.words[firstSlot] ?? 0, count);
    } else {
      scatter(views.words, { firstSlot, count }, bitmap);
    }
    if (count < published) return false;
  }
  return true;
}

/** The cell of an entry, in two words, and its slot. */
export type VisitCell = (low: number, high: number, slot: number) => void;

/** Calls `visit` with the cell of each entry of a slot that the bitmap has. */
export function visitColumn(
  part: ColumnPart,
  { bitmap, slotCount }: { readonly bitmap: Uint32Array; readonly slotCount: number },
  visit: VisitCell,
): void {
  const { views, layout, addresses } = part;
  for (let start = 0, block = 0; start < part.length; start += layout.entries, block++) {
    const address = addresses[block] ?? 0;
    views.reach(address);
    const { words } = views;
    const firstWord = address / 4;
    const firstSlot = firstWord + layout.slotsAt;
    const published = Math.min(layout.entries, part.length - start);
    const count = countBelow(words, { firstSlot, count: published, slotCount });
    if (layout === COMMON_LAYOUT) visitNamed(part, { firstWord, count, bitmap }, visit);
    else if (words[firstWord + layout.extrasAt] === 0)
      visitConsecutive(part, { firstWord, count, bitmap }, visit);
    else visitAny(part, { firstWord, count, bitmap }, visit);
    if (count < published) return; // slots ascend
  }
}

/** The first entries of a block, and the slots to visit. */
interface VisitedBlock {
  readonly firstWord: number;
  readonly count: number;
  readonly bitmap: Uint32Array;
}

/** Of a block of the common column: the entries of the field alone. */
function visitNamed(
  { views: { words }, layout, nameHash }: ColumnPart,
  { firstWord, count, bitmap }: VisitedBlock,
  visit: VisitCell,
): void {
  const [slotsAt, namesAt] = [firstWord + layout.slotsAt, firstWord + layout.extrasAt];
  for (let at = 0; at < count; at++) {
    if (words[namesAt + at] !== nameHash) continue;
    const slot = words[slotsAt + at] ?? 0;
    if ((((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 0) continue;
    visit(words[firstWord + at * 2] ?? 0, words[firstWord + at * 2 + 1] ?? 0, slot);
  }
}

function visitAny(
  { views: { words }, layout }: ColumnPart,
  { firstWord, count, bitmap }: VisitedBlock,
  visit: VisitCell,
): void {
  const slotsAt = firstWord + layout.slotsAt;
  for (let at = 0; at < count; at++) {
    const slot = words[slotsAt + at] ?? 0;
    if ((((bitmap[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 0) continue;
    visit(words[firstWord + at * 2] ?? 0, words[firstWord + at * 2 + 1] ?? 0, slot);
  }
}

/** Of consecutive slots: one step per bit set. */
function visitConsecutive(
  { views: { words }, layout }: ColumnPart,
  { firstWord, count, bitmap }: VisitedBlock,
  visit: VisitCell,
): void {
  if (count === 0) return;
  const first = words[firstWord + layout.slotsAt] ?? 0;
  const end = first + count;
  for (let word = first >>> 5; word * 32 < end; word++) {
    let bits = bitmap[word] ?? 0;
    if (word * 32 < first) bits &= -1 << (first & 31);
    if (word * 32 + 32 > end) bits &= (1 << (end & 31)) - 1;
    for (; bits !== 0; bits &= bits - 1) {
      const slot = word * 32 + 31 - Math.clz32(bits & -bits);
      const at = firstWord + (slot - first) * 2;
      visit(words[at] ?? 0, words[at + 1] ?? 0, slot);
    }
  }
}

/** The block with the first entry of a slot of at least `from`; slots ascend. */
function firstBlock({ views, layout, addresses, length }: ColumnPart, from: number): number {
  let low = 0;
  let high = Math.ceil(length / layout.entries);
  while (low < high) {
    const middle = (low + high) >>> 1;
    const address = addresses[middle] ?? 0;
    const last = Math.min(layout.entries, length - middle * layout.entries) - 1;
    views.reach(address);
    if ((views.words[address / 4 + layout.slotsAt + last] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function slotsOf(
  words: Uint32Array,
  { firstSlot, count }: { readonly firstSlot: number; readonly count: number },
): { readonly first: number; readonly last: number } {
  return { first: words[firstSlot] ?? 0, last: words[firstSlot + count - 1] ?? 0 };
}

/** Whether a bitmap has a slot of the words that have these. */
function hasAny(
  bitmap: Uint32Array,
  { first, last }: { readonly first: number; readonly last: number },
): boolean {
  for (let word = first >>> 5; word <= last >>> 5; word++) if (bitmap[word] !== 0) return true;
  return false;
}

/** How many of a block's first entries have slots below `slotCount`. */
function countBelow(
  words: Uint32Array,
  {
    firstSlot,
    count,
    slotCount,
  }: { readonly firstSlot: number; readonly count: number; readonly slotCount: number },
): number {
  let below = count;
  while (below > 0 && (words[firstSlot + below - 1] ?? 0) >= slotCount) below--;
  return below;
}

/** For entries with consecutive slots: the bits are the same, only shifted. */
function shiftInto(bitmap: Uint32Array, firstSlot: number, count: number): void {
  const shift = firstSlot & 31;
  let at = firstSlot >>> 5;
  for (let word = 0; word * 32 < count; word++, at++) {
    const bits = blockBits[word] ?? 0;
    bitmap[at] = (bitmap[at] ?? 0) | (bits << shift);
    // Past the end of the bitmap there are no bits to carry, and the write does nothing.
    if (shift !== 0) bitmap[at + 1] = (bitmap[at + 1] ?? 0) | (bits >>> (32 - shift));
  }
}

/** For any slots: one step per bit set. */
function scatter(
  words: Uint32Array,
  { firstSlot, count }: { readonly firstSlot: number; readonly count: number },
  bitmap: Uint32Array,
): void {
  for (let word = 0; word * 32 < count; word++) {
    let bits = blockBits[word] ?? 0;
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits);
      bits ^= 1 << bit;
      const slot = words[firstSlot + word * 32 + bit] ?? 0;
      bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) | (1 << slot);
    }
  }
}
