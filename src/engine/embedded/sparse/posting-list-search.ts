// One search by a sparse vector: chunk by chunk, sums of quantized impacts bound the scores of all slots, and the slots
// that may be among the best are scored exactly from the forward index.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import type { Address, Kernel } from '../kernels/kernel.ts';
import { HEAP_ENTRY_BYTES, HEAP_HEADER_BYTES, HEAP_THRESHOLD } from '../kernels/layout.ts';
import type { ChunkSums } from '../kernels/posting-lists.ts';
import { FLOAT_MAX, leastSum } from './accumulators.ts';
import { type BitmapRange, countSet, visitSet } from './bitmap-range.ts';
import { boundsCapacity, layOutPostingLists, type PostingListLayout } from './layout.ts';
import type { Chunk, ChunkSource, ExactScores, ScoreSink } from './posting-list-source.ts';

export interface PostingListQuery {
  readonly kernel: Kernel;
  readonly sparse: SparseVector;
  /** Address of a bitmap of the slots below `slotCount` that match. */
  readonly bitmap: Address;
  /** Of the snapshot whose structure the reader has. */
  readonly slotCount: number;
  /** `postingListScratchBytes` bytes, a multiple of 64; content undefined. */
  readonly scratch: Address;
}

/** Chunks with at most this many matching slots are scored slot by slot, which costs less than their lists (measured). */
const SCORED_SINGLY_MAX = 64;
/** No sum is lower. */
const SUM_MIN = -(2 ** 31);

export class PostingListSearch {
  readonly #source: ChunkSource;
  readonly #query: PostingListQuery;
  readonly #exact: ExactScores;
  readonly #layout: PostingListLayout;
  readonly #endByte: number;

  constructor(source: ChunkSource, query: PostingListQuery, exact: ExactScores) {
    const { indices, values } = query.sparse;
    const terms = indices.length;
    this.#source = source;
    this.#query = query;
    this.#exact = exact;
    this.#layout = layOutPostingLists(query.scratch, { terms, capacity: 0 });
    this.#endByte = Math.max(this.#layout.end, query.bitmap + Math.ceil(query.slotCount / 32) * 4);
    const words = source.words(this.#endByte);
    words.set(indices, this.#layout.indices / 4);
    new Float32Array(words.buffer, this.#layout.values, terms).set(values);
    const vector = { indices: this.#layout.indices, values: this.#layout.values, count: terms };
    query.kernel.postings.prepare(vector, this.#layout.query);
  }

  /**
   * Offers every matching slot that shares an index with the query and is not certain to be below `top.bound`. Keys are
   * exact scores, as `roundedScore`, so the best of all matching slots, and their ties, are among those offered.
   */
  search(top: ScoreSink): void {
    const { kernel } = this.#query;
    const { heap } = this.#layout;
    const capacity = boundsCapacity(top.capacity);
    kernel.resetHeap(heap, capacity);
    // Unindexed entries first: their exact scores are a bound for all chunks.
    this.#exact.scoreUnindexed(() => floatBound(top), top);
    for (const chunk of this.#chunks()) this.#offerBounds(chunk, top);
    const { count } = kernel.finishHeap(heap);
    if (this.#scoreCandidates(count, top) === count && count === capacity) this.#scoreOthers(count, top);
  }

  /**
   * Calls back with every matching slot that shares an index with the query, in no order. The bitmap must not change
   * meanwhile.
   */
  visitSharing(visitor: (slot: number) => void): void {
    this.#exact.scoreUnindexed(() => Number.NEGATIVE_INFINITY, { offer: (_, slot) => visitor(slot) });
    for (const chunk of this.#chunks()) {
      const range = this.#rangeOf(chunk);
      if (this.#isScoredSingly(range)) {
        visitSet(range, (slot) => {
          if (!Number.isNaN(this.#exact.scoreOf(slot))) visitor(slot);
        });
      } else if (this.#boundChunk(chunk, Number.NEGATIVE_INFINITY) > 0) {
        this.#visitCandidates(range, SUM_MIN, (slot) => visitor(slot));
      }
    }
  }

  /**
   * Writes an upper bound f32 of every slot's score to `scores`, 0 for slots that share no index with the query. -Infinity
   * is no bound: scores below the lowest float have it.
   */
  storeBounds(scores: Address): void {
    const { slotCount, kernel } = this.#query;
    this.#words(scores + slotCount * 4).fill(0, scores / 4, scores / 4 + slotCount);
    for (const chunk of this.#chunks()) {
      const unit = this.#boundChunk(chunk, Number.NEGATIVE_INFINITY);
      const slots = Math.min(chunk.endSlot, slotCount) - chunk.firstSlot;
      const target = scores + chunk.firstSlot * 4;
      if (unit > 0) kernel.postings.store({ sums: this.#layout.sums, slotCount: slots }, unit, target);
    }
    const exact = new Float32Array(this.#words(scores + slotCount * 4).buffer, scores, slotCount);
    const sink = {
      offer: (key: number, slot: number) => {
        exact[slot] = key;
      },
    };
    this.#exact.scoreUnindexed(() => Number.NEGATIVE_INFINITY, sink);
  }

  /** The exact score of a slot, as `roundedScore`; 0 when it shares no index with the query. */
  score(slot: number): number {
    const score = this.#exact.scoreOf(slot);
    return Number.isNaN(score) ? 0 : score;
  }

  *#chunks(): Generator<Chunk> {
    for (const chunk of this.#source.chunks) {
      if (chunk.firstSlot >= this.#query.slotCount) return;
      yield chunk;
    }
  }

  /** Keeps the slots of a chunk with the highest bounds; chunks with few matching slots are scored at once. */
  #offerBounds(chunk: Chunk, top: ScoreSink): void {
    const range = this.#rangeOf(chunk);
    if (this.#isScoredSingly(range)) {
      visitSet(range, (slot) => this.#offer(slot, top));
      return;
    }
    const { heap, found: out } = this.#layout;
    const threshold = floatOf(range.words[(heap + HEAP_THRESHOLD) / 4] ?? 0);
    const bound = Math.max(threshold, floatBound(top));
    const unit = this.#boundChunk(chunk, bound);
    if (unit === 0) return;
    const sums = this.#sumsOf(range, leastSum(bound, unit));
    this.#query.kernel.postings.offer(sums, { out, unit, heap });
  }

  /**
   * Scores the slots with the highest bounds, best first.
   * @returns how many were scored before all others were certain to be below the best
   */
  #scoreCandidates(count: number, top: ScoreSink): number {
    for (let i = 0; i < count; i++) {
      const { words, at } = this.#candidate(i);
      if (floatOf(words[at] ?? 0) < floatBound(top)) return i;
      this.#offer(words[at + 1] ?? 0, top);
    }
    return count;
  }

  /**
   * When too few bounds were kept, scores all other slots that can be among the best; by now there is a bound for
   * these.
   */
  #scoreOthers(candidate: number, top: ScoreSink): void {
    const { sums } = this.#layout;
    for (const chunk of this.#chunks()) {
      const range = this.#rangeOf(chunk);
      if (this.#isScoredSingly(range)) continue;
      const unit = this.#boundChunk(chunk, floatBound(top));
      if (unit === 0) continue;
      const least = () => leastSum(floatBound(top), unit);
      for (let i = 0; i < candidate; i++) {
        const { words, at } = this.#candidate(i);
        const slot = words[at + 1] ?? 0;
        if (slot >= range.from && slot < range.until) words[sums / 4 + slot - range.from] = 0;
      }
      this.#visitCandidates(range, least(), (slot, sum) => {
        if (sum >= least()) this.#offer(slot, top);
      });
    }
  }

  /** Visits the matching slots of a chunk whose sum is not 0 and reaches `least`. */
  #visitCandidates(range: BitmapRange, least: number, visitor: (slot: number, sum: number) => void): void {
    const { sums, found } = this.#layout;
    const count = this.#query.kernel.postings.collect(this.#sumsOf(range, least), found);
    const words = this.#words(found + count * 4);
    for (let i = 0; i < count; i++) {
      const at = words[found / 4 + i] ?? 0;
      visitor(range.from + at, (words[sums / 4 + at] ?? 0) | 0);
    }
  }

  /** Where the `i`-th of the kept bounds lies. */
  #candidate(i: number): { readonly words: Uint32Array; readonly at: number } {
    const address = this.#layout.heap + HEAP_HEADER_BYTES + i * HEAP_ENTRY_BYTES;
    return { words: this.#words(address + HEAP_ENTRY_BYTES), at: address / 4 };
  }

  #sumsOf({ from, until }: BitmapRange, least: number): ChunkSums {
    const { bitmap } = this.#query;
    const { query, sums } = this.#layout;
    return { query, sums, slotCount: until - from, firstSlot: from, bitmap, least };
  }

  /** @returns the unit of the sums; 0 when no slot of the chunk can reach `least` */
  #boundChunk(chunk: Chunk, least: number): number {
    const { frames, sums, query } = this.#layout;
    this.#words(this.#endByte).set(chunk.frames, frames / 4);
    const { frameCount } = chunk;
    const slotCount = chunk.endSlot - chunk.firstSlot;
    const bounding = {
      query,
      frames,
      frameCount,
      slotCount,
      sums,
      least: Math.min(least, FLOAT_MAX),
    };
    return this.#query.kernel.postings.bound(bounding);
  }

  #offer(slot: number, top: ScoreSink): void {
    const score = this.#exact.scoreOf(slot);
    // NaN, for slots that share no index, is below any bound.
    if (score >= top.bound) top.offer(score, slot);
  }

  #isScoredSingly(range: BitmapRange): boolean {
    return countSet(range, SCORED_SINGLY_MAX) <= SCORED_SINGLY_MAX;
  }

  #rangeOf({ firstSlot, endSlot }: Chunk): BitmapRange {
    const { bitmap, slotCount } = this.#query;
    const words = this.#words(this.#endByte);
    return { words, firstWord: bitmap / 4, from: firstSlot, until: Math.min(endSlot, slotCount) };
  }

  #words(endByte: number): Uint32Array<SharedArrayBuffer> {
    return this.#source.words(endByte);
  }
}

/**
 * The bound as bounds of slots are compared with it: as a float. Where it is beyond all floats, so are the bounds of the
 * slots that reach it.
 */
function floatBound({ bound }: ScoreSink): number {
  return Math.fround(bound);
}

const wordOfFloat = new Uint32Array(1);
const floatOfWord = new Float32Array(wordOfFloat.buffer);

export function floatOf(word: number): number {
  wordOfFloat[0] = word;
  return floatOfWord[0] ?? 0;
}
