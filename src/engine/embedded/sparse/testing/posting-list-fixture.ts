// Postings with their writer, a reader and room to search in; for tests.
import type { SparseVector } from '../../../port/reader-and-writer.ts';
import { type KernelBuild, loadKernel } from '../../kernels/kernel.ts';
import { type ScoredSlot, TopHits } from '../../search/top-k.ts';
import { postingsScratchBytes } from '../layout.ts';
import { PostingsReader } from '../posting-list-reader.ts';
import type { PostingsSearch } from '../posting-list-search.ts';
import { PostingsWriter } from '../posting-list-writer.ts';
import { byRank } from './naive-sparse.ts';
import { TestMemory } from './test-memory.ts';

export interface FixtureOptions {
  readonly build?: KernelBuild;
  readonly chunkSlots?: number;
  readonly chunkTerms?: number;
  /** Slots there can be. */
  readonly slotsMax: number;
}

const TERMS_MAX = 2_048;
const TOP_K_MAX = 10_000;

export class PostingsFixture {
  readonly memory = new TestMemory();
  readonly writer: PostingsWriter;
  readonly reader: PostingsReader;
  readonly records: (SparseVector | null)[] = [];
  readonly #kernel;
  readonly #bitmap: number;
  readonly #scores: number;
  readonly #scratch: number;
  readonly #slotsMax: number;

  constructor({ build = 'plain', slotsMax, ...options }: FixtureOptions) {
    this.writer = new PostingsWriter(this.memory, options);
    this.reader = new PostingsReader({ words: this.memory.words });
    this.#kernel = loadKernel(this.memory.arena.memory, build);
    this.#slotsMax = slotsMax;
    this.#bitmap = this.memory.area(Math.ceil(slotsMax / 32) * 4, 0);
    this.#scores = this.memory.area(slotsMax * 4, 0);
    this.#scratch = this.memory.area(postingsScratchBytes({ terms: TERMS_MAX, capacity: TOP_K_MAX }), 0x55);
  }

  /** Appends a record, or a slot without sparse vector, and lets the reader know. */
  append(record: SparseVector | null): void {
    if (record !== null) this.writer.append(this.records.length, record);
    this.records.push(record);
    this.reader.apply(this.writer.takeDeltas());
  }

  /** What lies beyond the snapshot's slots in the bitmap is set, as nobody promises otherwise. */
  want(isWanted: (slot: number) => boolean, slotCount: number): void {
    const { buffer } = this.memory.arena;
    const bytes = new Uint8Array(buffer, this.#bitmap, Math.ceil(this.#slotsMax / 32) * 4).fill(0xff);
    for (let slot = 0; slot < slotCount; slot++) {
      if (!isWanted(slot)) bytes[slot >> 3] = (bytes[slot >> 3] ?? 0) & ~(1 << (slot & 7));
    }
  }

  open(
    sparse: SparseVector,
    options: { readonly reader?: PostingsReader; readonly slotCount?: number } = {},
  ): PostingsSearch {
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
  best(search: PostingsSearch, topK: number): readonly ScoredSlot[] {
    const top = new TopHits(topK);
    search.best(top);
    return [...top.entries()].sort(byRank);
  }

  /** Bounds of the scores of the first `slotCount` slots. */
  bounds(search: PostingsSearch, slotCount = this.records.length): Float32Array {
    new Float32Array(this.memory.arena.buffer, this.#scores, slotCount).fill(77);
    search.storeBounds(this.#scores);
    return new Float32Array(this.memory.arena.buffer, this.#scores, slotCount).slice();
  }
}
