// The search that posting lists replaced: every sparse vector is scored from a stream of entries.
import type { SparseVector } from '../../src/domain/records/record.ts';
import type { Kernel } from '../../src/engine/embedded/kernels/kernel.ts';
import {
  FRAME_BYTES,
  HEAP_ENTRY_BYTES,
  HEAP_HEADER_BYTES,
  heapBytes,
  SPARSE_ENTRY_HEADER_BYTES,
  SPARSE_QUERY_BYTES,
} from '../../src/engine/embedded/kernels/layout.ts';
import { type ScoredSlot, TopK } from '../../src/engine/embedded/search/top-k.ts';
import type { TestMemory } from '../../src/engine/embedded/sparse/testing/test-memory.ts';

/** Kept beyond the results, for ties. */
const TIES = 1_000;
const HEAP_CAPACITY_MAX = 2_000;
const TERMS_MAX = 2_048;

export class OldScan {
  readonly #memory: TestMemory;
  readonly #kernel: Kernel;
  readonly #frames: { readonly address: number; bytesUsed: number }[] = [];
  readonly #query: number;
  readonly #terms: number;
  readonly #heap: number;

  constructor(memory: TestMemory, kernel: Kernel) {
    this.#memory = memory;
    this.#kernel = kernel;
    this.#query = memory.area(SPARSE_QUERY_BYTES, 0);
    this.#terms = memory.area(TERMS_MAX * 8, 0);
    this.#heap = memory.area(heapBytes(HEAP_CAPACITY_MAX), 0);
  }

  append(slot: number, { indices, values }: SparseVector): void {
    const count = indices.length;
    const bytes = SPARSE_ENTRY_HEADER_BYTES + 8 * count;
    let frame = this.#frames.at(-1);
    if (frame === undefined || frame.bytesUsed + bytes > FRAME_BYTES) {
      frame = { address: this.#memory.frame(), bytesUsed: 0 };
      this.#frames.push(frame);
    }
    const words = this.#memory.words(frame.address + FRAME_BYTES);
    const at = (frame.address + frame.bytesUsed) / 4;
    words[at] = slot;
    words[at + 1] = count;
    words.set(indices, at + 2);
    new Float32Array(words.buffer, (at + 2 + count) * 4, count).set(values);
    frame.bytesUsed += bytes;
  }

  best(query: SparseVector, bitmap: number, topK: number): readonly ScoredSlot[] {
    const count = query.indices.length;
    const { buffer } = this.#memory.arena;
    new Uint32Array(buffer, this.#terms, count).set(query.indices);
    new Float32Array(buffer, this.#terms + 4 * count, count).set(query.values);
    const terms = { indices: this.#terms, values: this.#terms + 4 * count, count };
    this.#kernel.prepareSparseQuery(terms, this.#query);
    this.#kernel.resetHeap(this.#heap, topK + TIES);
    for (const { address: frame, bytesUsed } of this.#frames)
      this.#kernel.scanSparseFrame({ query: this.#query, frame, bytesUsed, bitmap }, this.#heap);
    return this.#entries(this.#kernel.finishHeap(this.#heap).count, topK);
  }

  #entries(count: number, topK: number): readonly ScoredSlot[] {
    const { buffer } = this.#memory.arena;
    const words = (count * HEAP_ENTRY_BYTES) / 4;
    const keys = new Float32Array(buffer, this.#heap + HEAP_HEADER_BYTES, words);
    const slots = new Uint32Array(buffer, this.#heap + HEAP_HEADER_BYTES, words);
    const top = new TopK(topK);
    for (let i = 0; i < count; i++) top.offer(keys[2 * i] ?? 0, slots[2 * i + 1] ?? 0);
    return top.entries();
  }
}
