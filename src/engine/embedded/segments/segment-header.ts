// The header block of a segment in shared memory. A seqlock guards it: readers retry while the writer changes it.
import { monotonicSeconds } from '../../../platform/monotonic-clock.ts';
import { BLOCK_BYTES } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';
import { HeaderWord } from './structure.ts';

export class SegmentHeader {
  /** Address of the block. */
  readonly address: number;
  readonly #arena: Arena;

  /** @param address of a zeroed block */
  constructor(arena: Arena, address: number) {
    this.#arena = arena;
    this.address = address;
    this.#set(HeaderWord.LastUsed, monotonicSeconds());
  }

  /** When a query last used the segment, in seconds of the monotonic clock. */
  get lastUsed(): number {
    return this.#words[this.address / 4 + HeaderWord.LastUsed] ?? 0;
  }

  /** Makes the segment look as if no query had ever used it. */
  markUnused(): void {
    this.#set(HeaderWord.LastUsed, 0);
  }

  /** Readers take no snapshot until `endChange`. */
  beginChange(): void {
    Atomics.add(this.#words, this.address / 4 + HeaderWord.Version, 1);
  }

  endChange(): void {
    Atomics.add(this.#words, this.address / 4 + HeaderWord.Version, 1);
  }

  /** Call between `beginChange` and `endChange`. */
  setCounts({
    slotCount,
    liveCount,
    seq,
  }: {
    readonly slotCount: number;
    readonly liveCount: number;
    readonly seq: number;
  }): void {
    this.#set(HeaderWord.SlotCount, slotCount);
    this.#set(HeaderWord.LiveCount, liveCount);
    this.#set(HeaderWord.SeqLow, seq % 2 ** 32);
    this.#set(HeaderWord.SeqHigh, Math.floor(seq / 2 ** 32));
  }

  /** Shows readers the graph as far as it is complete; null hides it. Call between `beginChange` and `endChange`. */
  setGraph(
    graph: { readonly address: number; readonly slots: number; readonly unplaced: number } | null,
  ): void {
    this.#set(HeaderWord.Graph, graph?.address ?? 0);
    this.#set(HeaderWord.GraphSlots, graph?.slots ?? 0);
    this.#set(HeaderWord.Unplaced, graph?.unplaced ?? 0);
  }

  #set(word: number, value: number): void {
    this.#words[this.address / 4 + word] = value;
  }

  get #words(): Uint32Array<SharedArrayBuffer> {
    return this.#arena.words(this.address + BLOCK_BYTES);
  }
}
