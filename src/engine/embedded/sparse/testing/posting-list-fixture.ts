// Posting lists with their writer, a reader, and memory to search in; for tests.
import type { SparseVector } from '../../../port/reader-and-writer.ts';
import { type KernelBuild, loadKernel } from '../../kernels/kernel.ts';
import { type ScoredSlot, TopK } from '../../search/top-k.ts';
import { postingListScratchBytes } from '../layout.ts';
import { PostingListReader } from '../posting-list-reader.ts';
import type { PostingListSearch } from '../posting-list-search.ts';
import { PostingListWriter } from '../posting-list-writer.ts';
import { byRank } from './naive-sparse.ts';
import { TestMemory } from './test-memory.ts';

export interface FixtureOptions {
  readonly build?: KernelBuild;
  readonly chunkSlots?: number;
  readonly chunkTerms?: number;
  /** Maximum slots. */
  readonly slotsMax: number;
}

const TERMS_MAX = 2_048;
const TOP_K_MAX = 10_000;

export class PostingListFixture {
  readonly memory = new TestMemory();
  readonly writer: PostingListWriter;
  readonly reader: PostingListReader;
  readonly records: (SparseVector | null)[] = [];
  readonly #kernel;
  readonly #bitmap: number;
  readonly #scores: number;
  readonly #scratch: number;
  readonly #slotsMax: number;

  constructor({ build = 'plain', slotsMax, ...options }: FixtureOptions) {
    this.writer = new PostingListWriter(this.memory, options);
    this.reader = new PostingListReader({ words: this.memory.words });
    this.#kernel = loadKernel(this.memory.arena.memory, build);
    this.#slotsMax = slotsMax;
    this.#bitmap = this.memory.area(Math.ceil(slotsMax / 32) * 4, 0);
    this.#scores = this.memory.area(slotsMax * 4, 0);
    this.#scratch = this.memory.area(
      postingListScratchBytes({ terms: TERMS_MAX, capacity: TOP_K_MAX }),
      0x55,
    );
  }

  /** Appends a record, or a slot without a sparse vector, and notifies the reader. */
  append(record: SparseVector | null): void {
    if (record !== null) this.writer.append(this.records.length, record);
    this.records.push(record);
    this.reader.apply(this.writer.takeDeltas());
  }

  /** Sets the bits beyond the snapshot's slots, because nobody promises otherwise. */
  want(isMatch: (slot: number) => boolean, slotCount: number): void {
    const { buffer } = this.memory.arena;
    const bytes = new Uint8Array(buffer, this.#bitmap, Math.ceil(this.#slotsMax / 32) * 4).fill(0xff);
    for (let slot = 0; slot < slotCount; slot++) {
      if (!isMatch(slot)) bytes[slot >> 3] = (bytes[slot >> 3] ?? 0) & ~(1 << (slot & 7));
    }
  }

  open(
    sparse: SparseVector,
    options: { readonly reader?: PostingListReader; readonly slotCount?: number } = {},
  ): PostingListSearch {
    const { reader = this.reader, slotCount = this.records.length } = options;
    return reader.open({
      kernel: this.#kernel,
      sparse,
      bitmap: this.#bitmap,
      slotCount,
      scratch: this.#scratch,
    });
  }

  /** The best and their ties, best first. */
  best(search: PostingListSearch, topK: number): readonly ScoredSlot[] {
    const top = new TopK(topK);
    search.search(top);
    return [...top.entries()].sort(byRank);
  }

  /** Bounds of the scores of the first `slotCount` slots. */
  bounds(search: PostingListSearch, slotCount = this.records.length): Float32Array {
    new Float32Array(this.memory.arena.buffer, this.#scores, slotCount).fill(77);
    search.storeBounds(this.#scores);
    return new Float32Array(this.memory.arena.buffer, this.#scores, slotCount).slice();
  }
}
