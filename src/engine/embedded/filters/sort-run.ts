// Sorts a run of a column: the least significant digits first (radix sort), some milliseconds of work.
import { keyHigh, keyLow } from './cell-order.ts';
import { OWN_LAYOUT, type SharedViews } from './layout.ts';
import { RUN_BYTES, RUN_ENTRIES, SAMPLE_STEP, viewsOfRun } from './sorted-run.ts';

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;
/** Of 11, 11 and 10 bits, in each of two words. */
const PASSES = 6;

/** What a run is sorted in: 786 KB, used again. */
interface Scratch {
  /** Keys of the entries: low words, high words. */
  readonly words: readonly [Uint32Array, Uint32Array];
  readonly counts: Uint32Array;
  readonly orders: readonly [Uint16Array, Uint16Array];
}

let scratch: Scratch | null = null;

function newScratch(): Scratch {
  return {
    words: [new Uint32Array(RUN_ENTRIES), new Uint32Array(RUN_ENTRIES)],
    counts: new Uint32Array(DIGITS),
    orders: [new Uint16Array(RUN_ENTRIES), new Uint16Array(RUN_ENTRIES)],
  };
}

/** Call before memory is taken for a run. @throws RangeError where the system has none to sort in */
export function prepareSorting(): void {
  scratch ??= newScratch();
}

/**
 * Writes a run to a buffer of RUN_BYTES.
 * @param addresses of its RUN_BLOCKS blocks, which are full
 */
export function sortRun(views: SharedViews, addresses: readonly number[], buffer: SharedArrayBuffer): void {
  if (buffer.byteLength < RUN_BYTES) throw new RangeError(`a run has ${RUN_BYTES} bytes`);
  scratch ??= newScratch();
  const { words: keys } = scratch;
  const isConsecutive = readKeys(views, addresses, keys);
  const sorted = sortedBy(scratch);
  const { words, samples, order } = viewsOfRun(buffer);
  words[0] = Number(isConsecutive);
  order.set(sorted);
  for (let at = 0; at * SAMPLE_STEP < RUN_ENTRIES; at++) {
    const entry = sorted[at * SAMPLE_STEP] ?? 0;
    samples[2 * at] = keys[0][entry] ?? 0;
    samples[2 * at + 1] = keys[1][entry] ?? 0;
  }
}

/** @returns whether the slots of the run are consecutive */
function readKeys(
  views: SharedViews,
  addresses: readonly number[],
  [lows, highs]: readonly [Uint32Array, Uint32Array],
): boolean {
  let [entry, isConsecutive, nextSlot] = [0, true, -1];
  for (const address of addresses) {
    views.reach(address);
    const { words } = views;
    const firstWord = address / 4;
    const firstSlot = words[firstWord + OWN_LAYOUT.slotsAt] ?? 0;
    const hasGaps = words[firstWord + OWN_LAYOUT.extrasAt] !== 0;
    isConsecutive &&= !hasGaps && (nextSlot === -1 || firstSlot === nextSlot);
    nextSlot = firstSlot + OWN_LAYOUT.entries;
    for (let at = 0; at < OWN_LAYOUT.entries; at++, entry++) {
      const high = words[firstWord + at * 2 + 1] ?? 0;
      lows[entry] = keyLow(words[firstWord + at * 2] ?? 0, high);
      highs[entry] = keyHigh(high);
    }
  }
  return isConsecutive;
}

/** The numbers of the entries in the order of their keys, and of themselves where keys are equal. */
function sortedBy({ words, counts, orders }: Scratch): Uint16Array {
  let [order, next] = orders;
  for (let entry = 0; entry < RUN_ENTRIES; entry++) order[entry] = entry;
  for (let pass = 0; pass < PASSES; pass++) {
    const digits = { keys: words[pass < PASSES / 2 ? 0 : 1], shift: (pass % (PASSES / 2)) * DIGIT_BITS };
    if (!countDigits(digits, counts)) continue;
    distribute(digits, counts, { order, next });
    [order, next] = [next, order];
  }
  return order;
}

interface Digits {
  readonly keys: Uint32Array;
  readonly shift: number;
}

/** Replaces the counts by the first position of each digit. @returns false when all entries have the same digit */
function countDigits({ keys, shift }: Digits, counts: Uint32Array): boolean {
  counts.fill(0);
  for (let entry = 0; entry < RUN_ENTRIES; entry++) {
    const digit = ((keys[entry] ?? 0) >>> shift) & (DIGITS - 1);
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  if (counts[((keys[0] ?? 0) >>> shift) & (DIGITS - 1)] === RUN_ENTRIES) return false;
  let before = 0;
  for (let digit = 0; digit < DIGITS; digit++) {
    const count = counts[digit] ?? 0;
    counts[digit] = before;
    before += count;
  }
  return true;
}

function distribute(
  { keys, shift }: Digits,
  positions: Uint32Array,
  { order, next }: { readonly order: Uint16Array; readonly next: Uint16Array },
): void {
  for (let at = 0; at < RUN_ENTRIES; at++) {
    const entry = order[at] ?? 0;
    const digit = ((keys[entry] ?? 0) >>> shift) & (DIGITS - 1);
    const position = positions[digit] ?? 0;
    next[position] = entry;
    positions[digit] = position + 1;
  }
}
