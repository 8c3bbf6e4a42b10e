// Encodes posting lists into frames; each frame holds the lists of a run of indices, and locates them by itself.
import { FRAME_BYTES } from '../kernels/layout.ts';
import {
  CODE_LAST,
  DENSE_ALIGN_SLOTS,
  DENSE_SHARE,
  LIST_FRAME_HEADER_BYTES,
  LIST_FRAME_LOW,
  LIST_FRAME_STEP,
  LIST_FRAME_TERMS,
  LIST_HEADER_BYTES,
  LONG_LIST_MIN,
  POSTING_BYTES,
} from './layout.ts';
import type { TermSorter } from './term-sorter.ts';

/** Bytes of an index and of the end of its list. */
const LIST_REFERENCE_BYTES = 6;
/** Ends of lists are u16. */
const USED_MAX = FRAME_BYTES - 1;

/**
 * Values are coded as steps above the lowest (see CODE_LAST): the lowest, and the size of a step. Not an object with
 * two fields: with V8 14, one process in a hundred saw the fields of an earlier object change while a loop that makes
 * them was being optimized.
 */
type Bounds = Float32Array;

const LOW = 0;
const STEP = 1;

/** Terms order[from] to order[until - 1] have the same index. */
interface Run {
  readonly from: number;
  readonly until: number;
  readonly bytes: number;
}

export class ListEncoder {
  readonly #bytes = new Uint8Array(FRAME_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #terms: TermSorter;
  readonly #order: Uint32Array;
  readonly #slotCount: number;
  readonly #bounds: Bounds = new Float32Array(2);
  readonly #listBounds: Bounds = new Float32Array(2);

  /** `slotCount` is the number of slots of the chunk whose terms `terms` holds. */
  constructor(terms: TermSorter, slotCount: number) {
    this.#terms = terms;
    this.#order = terms.sorted();
    this.#slotCount = slotCount;
    this.#measure(0, terms.count, { bounds: this.#bounds });
  }

  /** Yields the bytes of one frame after the other, each valid until the next is requested. */
  *frames(): Generator<Uint8Array> {
    let runs: Run[] = [];
    let used = LIST_FRAME_HEADER_BYTES;
    for (const run of this.#runs()) {
      if (used + LIST_REFERENCE_BYTES + run.bytes > USED_MAX) {
        yield this.#frame(runs);
        runs = [];
        used = LIST_FRAME_HEADER_BYTES;
      }
      runs.push(run);
      used += LIST_REFERENCE_BYTES + run.bytes;
    }
    if (runs.length > 0) yield this.#frame(runs);
  }

  *#runs(): Generator<Run> {
    const { indices, count } = this.#terms;
    for (let from = 0; from < count; ) {
      const index = indices[this.#order[from] ?? 0];
      let until = from + 1;
      while (until < count && indices[this.#order[until] ?? 0] === index) until++;
      yield { from, until, bytes: this.#bytesOf(until - from) };
      from = until;
    }
  }

  #bytesOf(postings: number): number {
    if (postings < LONG_LIST_MIN) return postings * POSTING_BYTES;
    return LIST_HEADER_BYTES + (this.#isDense(postings) ? this.#paddedSlots : postings * POSTING_BYTES);
  }

  get #paddedSlots(): number {
    return Math.ceil(this.#slotCount / DENSE_ALIGN_SLOTS) * DENSE_ALIGN_SLOTS;
  }

  /** Never so short that its bytes could be those of a short list. */
  #isDense(postings: number): boolean {
    return postings * DENSE_SHARE >= this.#slotCount && this.#paddedSlots >= LONG_LIST_MIN * POSTING_BYTES;
  }

  #frame(runs: readonly Run[]): Uint8Array {
    const view = this.#view;
    const indicesAt = LIST_FRAME_HEADER_BYTES;
    const endsAt = indicesAt + 4 * runs.length;
    let end = endsAt + 2 * runs.length;
    view.setUint32(LIST_FRAME_TERMS, runs.length, true);
    view.setFloat32(LIST_FRAME_LOW, this.#bounds[LOW] ?? 0, true);
    view.setFloat32(LIST_FRAME_STEP, this.#bounds[STEP] ?? 0, true);
    for (const [i, run] of runs.entries()) {
      view.setUint32(indicesAt + 4 * i, this.#terms.indices[this.#order[run.from] ?? 0] ?? 0, true);
      this.#writeList(end, run);
      end += run.bytes;
      view.setUint16(endsAt + 2 * i, end, true);
    }
    return this.#bytes.subarray(0, end);
  }

  #writeList(at: number, { from, until }: Run): void {
    if (until - from < LONG_LIST_MIN) {
      this.#writePostings(at, { from, until }, this.#bounds);
      return;
    }
    const isDense = this.#isDense(until - from);
    const bounds = this.#listBounds;
    this.#measure(from, until, isDense ? { bounds, lowMax: 0 } : { bounds });
    this.#view.setFloat32(at, bounds[LOW] ?? 0, true);
    this.#view.setFloat32(at + 4, bounds[STEP] ?? 0, true);
    if (isDense) this.#writeDense(at + LIST_HEADER_BYTES, { from, until }, bounds);
    else this.#writePostings(at + LIST_HEADER_BYTES, { from, until }, bounds);
  }

  #writePostings(at: number, { from, until }: Omit<Run, 'bytes'>, bounds: Bounds): void {
    const { slots, values } = this.#terms;
    const codesAt = at + 2 * (until - from);
    for (let i = from; i < until; i++) {
      const term = this.#order[i] ?? 0;
      const slot = slots[term] ?? 0;
      this.#bytes[at + 2 * (i - from)] = slot;
      this.#bytes[at + 2 * (i - from) + 1] = slot >>> 8;
      this.#bytes[codesAt + i - from] = codeOf(values[term] ?? 0, bounds);
    }
  }

  #writeDense(at: number, { from, until }: Omit<Run, 'bytes'>, bounds: Bounds): void {
    const { slots, values } = this.#terms;
    this.#bytes.fill(0, at, at + this.#paddedSlots);
    for (let i = from; i < until; i++) {
      const term = this.#order[i] ?? 0;
      this.#bytes[at + (slots[term] ?? 0)] = codeOf(values[term] ?? 0, bounds);
    }
  }

  /**
   * Sets `bounds` to those of the terms order[from] to order[until - 1]. With a `lowMax` of 0, for values that are not
   * negative, bounds are proportional to codes and quick to add.
   */
  #measure(
    from: number,
    until: number,
    options: { readonly bounds: Bounds; readonly lowMax?: number },
  ): void {
    const { values } = this.#terms;
    let low = options.lowMax ?? Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = from; i < until; i++) {
      const value = values[this.#order[i] ?? 0] ?? 0;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    // One step of slack, and the smallest float, so that rounding leaves no value above the last code.
    const step = high > low ? Math.fround((high - low) / (CODE_LAST - 1) + 2 ** -149) : 0;
    options.bounds[LOW] = low;
    options.bounds[STEP] = step;
  }
}

/** The smallest code whose bound is at least the value; 0 means "no posting". */
function codeOf(value: number, bounds: Bounds): number {
  const low = bounds[LOW] ?? 0;
  const step = bounds[STEP] ?? 0;
  if (step === 0) return 1;
  return Math.min(CODE_LAST, Math.max(1, Math.ceil((value - low) / step)));
}
