// Tells whether the rows of a graph have about the same norm: graph search by dot product or distance is then as easy
// as by cosine.
import { META_BYTES, META_NORM_SQUARED, metaOffset } from '../kernels/layout.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import type { SegmentReader } from '../segments/segment-reader.ts';
import type { SlotRange } from './code-scan.ts';
import type { Selection } from './selection.ts';

/** Maximum rows that one search counts, in about 0.2 ms. */
const ROWS_A_SEARCH = 8_192;
/** The median of this many rows, the first, is the usual norm. */
const FIRST_ROWS = 1_000;
/** A norm is usual up to this many times longer or shorter. */
const USUAL_FACTOR = 1.5;
/** Maximum share of rows with unusual norms that leaves norms even. */
const UNUSUAL_SHARE_MAX = 1 / 4_000;

const WORD_BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Counts the rows of a segment whose norms are unusual. */
export class NormSpread {
  #counted = 0;
  #unusual = 0;
  /** Of squared norms. */
  #usual: { readonly least: number; readonly most: number } | null = null;

  /** Rows counted so far: those of the first slots. */
  get counted(): number {
    return this.#counted;
  }

  /** True when nearly all rows counted have about the same norm. */
  get isEven(): boolean {
    return this.#unusual <= UNUSUAL_SHARE_MAX * this.#counted;
  }

  /** Counts the rows of the next slots. */
  count(squaredNorms: Float32Array): void {
    this.#usual ??= around(middleOf(squaredNorms.slice(0, FIRST_ROWS)));
    const { least, most } = this.#usual;
    for (const square of squaredNorms) if (!(square >= least && square <= most)) this.#unusual++;
    this.#counted += squaredNorms.length;
  }
}

/** A segment's rows and their dimension. */
type Rows = Pick<Selection, 'view' | 'workspace'> & { readonly dimension: number };

/** What a reader knows of the norms in an index. */
export class NormSpreads {
  readonly #spreads = new WeakMap<SegmentReader, NormSpread>();

  /** True once all rows of the slots below `slots` have been counted and nearly all have about the same norm. */
  areEven(rows: Rows, slots: number): boolean {
    const { view } = rows;
    const spread = this.#spreads.get(view) ?? new NormSpread();
    this.#spreads.set(view, spread);
    // The row of a slot never changes, so that each is counted once.
    const from = spread.counted;
    const until = Math.min(slots, from + ROWS_A_SEARCH);
    if (from < until) spread.count(squaredNorms(rows, { from, until }));
    return until === slots && spread.isEven;
  }
}

function squaredNorms({ view, workspace, dimension }: Rows, { from, until }: SlotRange): Float32Array {
  const squares = new Float32Array(until - from);
  const first = (metaOffset(dimension, 0) + META_NORM_SQUARED) / WORD_BYTES;
  for (const { address, firstSlot, rows } of view.codeFrames(from, until)) {
    const end = address + FRAME_BYTES;
    const words = new Float32Array(workspace.arena.bufferOf(end), address, FRAME_BYTES / WORD_BYTES);
    // The range may start within its first frame.
    for (let row = Math.max(0, from - firstSlot); row < rows; row++)
      squares[firstSlot + row - from] = words[first + row * (META_BYTES / WORD_BYTES)] ?? 0;
  }
  return squares;
}

function middleOf(values: Float32Array): number {
  return values.toSorted()[values.length >>> 1] ?? 0;
}

function around(square: number): { readonly least: number; readonly most: number } {
  return { least: square / USUAL_FACTOR ** 2, most: square * USUAL_FACTOR ** 2 };
}
