// The single writer of a namespace's posting lists: appends sparse vectors to the forward index, and indexes every full
// chunk of them in posting lists.
import type { SparseVector } from '../../port/reader-and-writer.ts';
import { FRAME_BYTES } from '../kernels/layout.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { ForwardIndex } from './forward-index.ts';
import { CHUNK_FRAMES_MAX, CHUNK_SLOTS_MAX, CHUNK_TERMS_MAX, type PostingListMemory } from './layout.ts';
import { ListEncoder } from './list-encoder.ts';
import type { RestoringLists, SavedPostingLists } from './saved-lists.ts';
import type { ChunkStructure, ForwardPosition, PostingListDelta, PostingListStructure } from './structure.ts';
import { TermSorter } from './term-sorter.ts';

/** Shared, because the writers of a thread build one chunk at a time. */
const terms = new TermSorter();

export class PostingListWriter {
  readonly #memory: PostingListMemory;
  readonly #stream: ForwardIndex;
  readonly #chunkSlots: number;
  readonly #chunkTerms: number;
  readonly #chunks: ChunkStructure[] = [];
  #chunksAnnounced = 0;
  #lastSlot = -1;
  /** The entries that no posting list has yet. */
  #unindexed: { position: ForwardPosition; firstSlot: number; terms: number };

  /** Chunks close at a number of slots or terms, by default the largest. */
  constructor(
    memory: PostingListMemory,
    options: { readonly chunkSlots?: number; readonly chunkTerms?: number } = {},
  ) {
    this.#memory = memory;
    this.#stream = new ForwardIndex(memory);
    this.#chunkSlots = Math.min(options.chunkSlots ?? CHUNK_SLOTS_MAX, CHUNK_SLOTS_MAX);
    this.#chunkTerms = Math.min(options.chunkTerms ?? CHUNK_TERMS_MAX, CHUNK_TERMS_MAX);
    this.#unindexed = { position: this.#stream.end, firstSlot: 0, terms: 0 };
  }

  /**
   * Appends the sparse vector of the record in `slot`. Readers that have the deltas see it once their snapshot has the
   * slot. Slots must ascend. When this throws because memory is full, the slot is spent and must never count as live.
   */
  append(slot: number, sparse: SparseVector): void {
    if (slot <= this.#lastSlot) throw new RangeError(`slot ${slot} follows ${this.#lastSlot}`);
    const count = sparse.indices.length;
    if (count === 0) return;
    if (this.#isFull(slot, count)) this.#close();
    if (this.#unindexed.terms === 0) this.#unindexed.firstSlot = slot;
    this.#lastSlot = slot;
    this.#unindexed.terms += count;
    this.#stream.append(slot, sparse);
  }

  /** The steps since the last call, to be posted to every reader. */
  takeDeltas(): readonly PostingListDelta[] {
    const deltas = [...this.#stream.takeDeltas(), ...this.#chunkDeltas(this.#chunksAnnounced)];
    this.#chunksAnnounced = this.#chunks.length;
    return deltas;
  }

  /** The whole structure, for a reader that joins late; it may overlap with deltas not taken yet. */
  snapshot(): PostingListStructure {
    return [...this.#stream.snapshot(), ...this.#chunkDeltas(0)];
  }

  /** The lists as published; appends may go on while the parts are read. */
  save(): { readonly saved: SavedPostingLists; readonly parts: readonly Part[] } {
    const { saved: entries, parts } = this.#stream.save();
    const chunks = this.#chunks.map((chunk) => ({ ...chunk, frames: chunk.frames.length }));
    const saved = { entries, chunks, lastSlot: this.#lastSlot, unindexed: { ...this.#unindexed } };
    return { saved, parts: [...parts, this.#listsPart()] };
  }

  /** Allocates saved lists in this empty writer. @throws when memory is full */
  restore({ entries, chunks, lastSlot, unindexed }: SavedPostingLists, slotCount: number): RestoringLists {
    const { parts, finish } = this.#stream.restore(entries, slotCount);
    for (const { frames: count, ...chunk } of chunks) {
      const frames = Array.from({ length: count }, () => this.#memory.frame());
      this.#chunks.push({ ...chunk, frames });
    }
    this.#lastSlot = lastSlot;
    this.#unindexed = { ...unindexed };
    return { parts: [...parts, this.#listsPart()], finish };
  }

  #listsPart(): Part {
    const addresses = this.#chunks.flatMap(({ frames }) => frames);
    return { name: 'sparse-lists', addresses, bytesEach: FRAME_BYTES };
  }

  #chunkDeltas(first: number): PostingListDelta[] {
    return this.#chunks
      .slice(first)
      .map((chunk, i) => ({ kind: 'chunk', number: first + i, chunk }) satisfies PostingListDelta);
  }

  #isFull(slot: number, count: number): boolean {
    const { firstSlot, terms: termsSoFar } = this.#unindexed;
    if (termsSoFar === 0) return false;
    return slot - firstSlot >= this.#chunkSlots || termsSoFar + count > this.#chunkTerms;
  }

  /** Indexes the chunk in posting lists. */
  #close(): void {
    const { position, firstSlot } = this.#unindexed;
    terms.clear();
    this.#stream.visit(position, (slot, index, value) => terms.add(slot - firstSlot, index, value));
    const endSlot = this.#lastSlot + 1;
    const frames = writeLists(terms, endSlot - firstSlot, this.#memory);
    this.#unindexed = { position: this.#stream.end, firstSlot: 0, terms: 0 };
    this.#chunks.push({ firstSlot, endSlot, frames, unindexed: this.#unindexed.position });
  }
}

/** Writes the posting lists of a chunk of `slotCount` slots to frames. @returns their addresses. @throws when memory is full */
export function writeLists(
  sorter: TermSorter,
  slotCount: number,
  memory: Pick<PostingListMemory, 'frame' | 'words'>,
): readonly number[] {
  const frames: number[] = [];
  for (const bytes of new ListEncoder(sorter, slotCount).frames()) {
    const frame = memory.frame();
    const { buffer } = memory.words(frame + FRAME_BYTES);
    new Uint8Array(buffer, frame, bytes.length).set(bytes);
    frames.push(frame);
  }
  if (frames.length > CHUNK_FRAMES_MAX) throw new Error(`a chunk of ${frames.length} frames`);
  return frames;
}
