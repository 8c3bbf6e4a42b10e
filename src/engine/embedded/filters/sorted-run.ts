// A run of a column: its entries in the order of their cells, so that few of them are found without reading all.
import { type CellKey, type CellRange, keyAfter, keyHigh, keyLow } from './cell-order.ts';
import { OWN_LAYOUT, type SharedViews } from './layout.ts';

/** Blocks of a run: as many as entries can have 16-bit numbers. */
export const RUN_BLOCKS = 192;
export const RUN_ENTRIES = RUN_BLOCKS * OWN_LAYOUT.entries;
/** Every so many entries have the key of their cell in the run, so that a search reads few cells. */
export const SAMPLE_STEP = 64;
const SAMPLES = Math.ceil(RUN_ENTRIES / SAMPLE_STEP);

/** A run in shared memory: whether slots are consecutive u32, keys of samples u32 x 2, numbers of all entries u16. */
const SAMPLES_AT = 1;
const ORDER_AT = SAMPLES_AT + 2 * SAMPLES;
export const RUN_BYTES = 4 * ORDER_AT + 2 * RUN_ENTRIES;

/** Ranges that a run is searched for; a scan finds more of them as fast. */
export const RANGES_MAX = 64;
/** Above this share of matches, a scan is as fast as their slots one by one. */
const MATCHES_MAX = RUN_ENTRIES / 16;

/** The views of a run's buffer. */
export function viewsOfRun(buffer: SharedArrayBuffer): {
  readonly words: Uint32Array;
  readonly samples: Uint32Array;
  readonly order: Uint16Array;
} {
  return {
    words: new Uint32Array(buffer, 0, SAMPLES_AT),
    samples: new Uint32Array(buffer, SAMPLES_AT * 4, 2 * SAMPLES),
    order: new Uint16Array(buffer, ORDER_AT * 4, RUN_ENTRIES),
  };
}

/** First and last positions of the matches of each range. Shared, because a run is searched at once. */
const spans = new Int32Array(2 * RANGES_MAX);

export class SortedRun {
  readonly #views: SharedViews;
  readonly #addresses: readonly number[];
  readonly #lastAddress: number;
  readonly #isConsecutive: boolean;
  readonly #samples: Uint32Array;
  readonly #order: Uint16Array;

  /** @param addresses of the run's blocks */
  constructor(buffer: SharedArrayBuffer, addresses: readonly number[], views: SharedViews) {
    const { words, samples, order } = viewsOfRun(buffer);
    this.#isConsecutive = words[0] === 1;
    this.#samples = samples;
    this.#order = order;
    this.#views = views;
    this.#addresses = addresses;
    this.#lastAddress = Math.max(...addresses);
  }

  /** Whether all its slots are below `slotCount`; slots ascend. */
  isBelow(slotCount: number): boolean {
    this.#views.reach(this.#lastAddress);
    return this.#slotOf(RUN_ENTRIES - 1) < slotCount;
  }

  /**
   * Sets the bits of the slots with an entry in one of up to RANGES_MAX ranges.
   * @returns `done`, or sets none where a scan is to do it: `all` when every entry matches, `many` when many do
   */
  mark(ranges: readonly CellRange[], bitmap: Uint32Array): 'done' | 'all' | 'many' {
    this.#views.reach(this.#lastAddress);
    let matches = 0;
    for (const [at, { first, last }] of ranges.entries()) {
      const after = keyAfter(last);
      const from = this.#positionOf(first);
      const until = after === null ? RUN_ENTRIES : this.#positionOf(after);
      if (until - from === RUN_ENTRIES) return 'all';
      matches += until - from;
      if (matches > MATCHES_MAX) return 'many';
      spans[2 * at] = from;
      spans[2 * at + 1] = until;
    }
    for (let at = 0; at < ranges.length; at++) this.#set(spans[2 * at] ?? 0, spans[2 * at + 1] ?? 0, bitmap);
    return 'done';
  }

  /** The first position in order with a cell of at least a key. */
  #positionOf({ low, high }: CellKey): number {
    const samples = this.#samples;
    let from = 0;
    let to = SAMPLES;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const sampleHigh = samples[2 * middle + 1] ?? 0;
      if (sampleHigh < high || (sampleHigh === high && (samples[2 * middle] ?? 0) < low)) from = middle + 1;
      else to = middle;
    }
    return from === 0 ? 0 : this.#positionBehind((from - 1) * SAMPLE_STEP, { low, high });
  }

  /** As `#positionOf`, among the entries from that of a sample before it to the next sample. */
  #positionBehind(sample: number, { low, high }: CellKey): number {
    const { words } = this.#views;
    let from = sample + 1;
    let to = Math.min(sample + SAMPLE_STEP, RUN_ENTRIES);
    while (from < to) {
      const middle = (from + to) >>> 1;
      const word = this.#wordOf(this.#order[middle] ?? 0);
      const cellHigh = words[word + 1] ?? 0;
      const found = keyHigh(cellHigh);
      if (found < high || (found === high && keyLow(words[word] ?? 0, cellHigh) < low)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Index of the first word of an entry's cell. */
  #wordOf(entry: number): number {
    const block = Math.floor(entry / OWN_LAYOUT.entries);
    return (this.#addresses[block] ?? 0) / 4 + (entry - block * OWN_LAYOUT.entries) * 2;
  }

  #slotOf(entry: number): number {
    const block = Math.floor(entry / OWN_LAYOUT.entries);
    const firstSlot = (this.#addresses[block] ?? 0) / 4 + OWN_LAYOUT.slotsAt;
    return this.#views.words[firstSlot + entry - block * OWN_LAYOUT.entries] ?? 0;
  }

  #set(from: number, until: number, bitmap: Uint32Array): void {
    const first = this.#slotOf(0);
    for (let position = from; position < until; position++) {
      const entry = this.#order[position] ?? 0;
      const slot = this.#isConsecutive ? first + entry : this.#slotOf(entry);
      bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) | (1 << slot);
    }
  }
}
