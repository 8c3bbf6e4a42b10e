// The writer's side of one loaded namespace: appends slots, kills slots, publishes. Slots are never changed, so a
// reader that holds a snapshot (slot count and live bitmap) can never see a record half-written.

import type { Metadata, SparseVector } from '../../port.ts';
import { ColumnWriter } from '../columns/column-writer.ts';
import type { Kernel } from '../kernels/kernel.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { type Allocator, BLOCK_BYTES } from './allocator.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';
import { RowSlots } from './row-slots.ts';
import {
  HeaderWord,
  LIVE_SLOTS_PER_BLOCK,
  type NamespaceStructure,
  ROWS_PER_BLOCK,
  type StructureGrowth,
} from './structure.ts';

/** What the memory of every namespace of an index is made with. */
export interface MemoryContext {
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  readonly dimension: number | null;
  /** Address of room for one float row, the writer's own. */
  readonly rowScratch: number;
  /** Secret of the filter columns' hashes; readers need the same. */
  readonly columnSeed: number;
}

export interface NewSlot {
  readonly row: number;
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
  readonly metadata: Metadata | null;
}

const SPARSE_ENTRY_HEADER_BYTES = 8;

export class NamespaceMemory {
  readonly spaceId: number;
  /** Metadata fields kept in columns; null for all. */
  readonly filterable: readonly string[] | null;
  readonly #context: MemoryContext;
  readonly #header: number;
  readonly #rowsPerFrame: number;
  readonly #columns: ColumnWriter;
  readonly #ownBlocks: number[] = [];
  readonly #frames: number[] = [];
  readonly #liveBlocks: number[] = [];
  readonly #rowBlocks: number[] = [];
  readonly #sparseFrames: number[] = [];
  readonly #sparseFull: number[] = [];
  #sparseBytes = FRAME_BYTES;
  #slotCount = 0;
  #liveCount = 0;
  #announced = { frames: 0, liveBlocks: 0, rowBlocks: 0, sparseFrames: 0, sparseFull: 0 };
  readonly #killed: number[] = [];
  readonly #slots = new RowSlots();

  /** @throws ArenaFull */
  constructor(spaceId: number, filterable: readonly string[] | null, context: MemoryContext) {
    this.spaceId = spaceId;
    this.filterable = filterable;
    this.#context = context;
    this.#rowsPerFrame = context.dimension === null ? 0 : rowsPerFrame(context.dimension);
    this.#header = this.#block();
    this.#columns = new ColumnWriter({
      blocks: { allocate: () => this.#block() },
      buffer: (bytesMin) => context.arena.bufferOf(bytesMin),
      seed: context.columnSeed,
      filterable,
    });
  }

  get slotCount(): number {
    return this.#slotCount;
  }

  /** Slots whose record was replaced or deleted; a reload gets rid of them. */
  get deadCount(): number {
    return this.#slotCount - this.#liveCount;
  }

  /**
   * Adds a record at the next slot; invisible until `publish`.
   * @throws ArenaFull
   */
  append(slot: NewSlot): void {
    const at = this.#slotCount;
    if (slot.values !== null) this.#appendCodes(at, slot.values);
    if (slot.sparse !== null) this.#appendSparse(at, slot.sparse);
    this.#appendRow(at, slot.row);
    if (Math.floor(at / LIVE_SLOTS_PER_BLOCK) >= this.#liveBlocks.length)
      this.#liveBlocks.push(this.#block());
    if (slot.metadata !== null) this.#columns.append(at, slot.metadata);
    this.#slots.set(slot.row, at);
    this.#slotCount = at + 1;
    this.#liveCount++;
  }

  /** Takes the slot of a row out of the live ones at the next `publish`; no effect when it has none. */
  kill(row: number): void {
    const slot = this.#slots.get(row);
    if (slot === undefined) return;
    this.#slots.delete(row);
    this.#killed.push(slot);
    this.#liveCount--;
  }

  /** The parts added since the last call; post them to every reader before `publish`. Null when there are none. */
  takeGrowth(): StructureGrowth | null {
    const columns = this.#columns.takeDeltas();
    const from = this.#announced;
    const growth: StructureGrowth = {
      frames: this.#frames.slice(from.frames),
      liveBlocks: this.#liveBlocks.slice(from.liveBlocks),
      rowBlocks: this.#rowBlocks.slice(from.rowBlocks),
      sparseFrames: this.#sparseFrames.slice(from.sparseFrames),
      sparseFull: this.#sparseFull.slice(from.sparseFull),
      columns,
    };
    this.#announced = {
      frames: this.#frames.length,
      liveBlocks: this.#liveBlocks.length,
      rowBlocks: this.#rowBlocks.length,
      sparseFrames: this.#sparseFrames.length,
      sparseFull: this.#sparseFull.length,
    };
    const empty = Object.values(growth).every((part: readonly unknown[]) => part.length === 0);
    return empty ? null : growth;
  }

  /** Makes everything appended and killed since the last call visible at once. */
  publish(seq: number): void {
    const words = this.#words(this.#header + BLOCK_BYTES);
    const at = this.#header / 4;
    const published = words[at + HeaderWord.SlotCount] ?? 0;
    Atomics.add(words, at + HeaderWord.Version, 1);
    for (let slot = published; slot < this.#slotCount; slot++) this.#setLive(slot, true);
    for (const slot of this.#killed) this.#setLive(slot, false);
    this.#killed.length = 0;
    words[at + HeaderWord.SlotCount] = this.#slotCount;
    words[at + HeaderWord.LiveCount] = this.#liveCount;
    words[at + HeaderWord.SeqLow] = seq % 2 ** 32;
    words[at + HeaderWord.SeqHigh] = Math.floor(seq / 2 ** 32);
    words[at + HeaderWord.SparseFrames] = this.#sparseFrames.length;
    words[at + HeaderWord.SparseBytes] = this.#sparseBytes;
    this.#columns.publish();
    Atomics.add(words, at + HeaderWord.Version, 1);
  }

  /** The whole structure, for readers that come late. */
  structure(): NamespaceStructure {
    return {
      spaceId: this.spaceId,
      header: this.#header,
      frames: [...this.#frames],
      liveBlocks: [...this.#liveBlocks],
      rowBlocks: [...this.#rowBlocks],
      sparseFrames: [...this.#sparseFrames],
      sparseFull: [...this.#sparseFull],
      columns: this.#columns.snapshot(),
    };
  }

  /** Gives all its memory back. Readers must have been told before. */
  release(): void {
    this.#context.allocator.retire([...this.#frames, ...this.#sparseFrames], this.#ownBlocks);
  }

  #appendCodes(slot: number, values: Float32Array): void {
    const { kernel, rowScratch } = this.#context;
    const rowInFrame = slot % this.#rowsPerFrame;
    if (rowInFrame === 0) this.#frames.push(this.#context.allocator.frame());
    new Float32Array(this.#context.arena.buffer, rowScratch, values.length).set(values);
    kernel.encodeRow(rowScratch, values.length, this.#frames.at(-1) ?? 0, rowInFrame);
  }

  #appendSparse(slot: number, sparse: SparseVector): void {
    const entries = sparse.indices.length;
    const bytes = SPARSE_ENTRY_HEADER_BYTES + entries * 8;
    if (this.#sparseBytes + bytes > FRAME_BYTES) {
      if (this.#sparseFrames.length > 0) this.#sparseFull.push(this.#sparseBytes);
      this.#sparseFrames.push(this.#context.allocator.frame());
      this.#sparseBytes = 0;
    }
    const frame = this.#sparseFrames.at(-1) ?? 0;
    const words = this.#words(frame + FRAME_BYTES);
    const at = (frame + this.#sparseBytes) / 4;
    words[at] = slot;
    words[at + 1] = entries;
    words.set(sparse.indices, at + 2);
    new Float32Array(words.buffer, (at + 2 + entries) * 4, entries).set(sparse.values);
    this.#sparseBytes += bytes;
  }

  #appendRow(slot: number, row: number): void {
    if (slot % ROWS_PER_BLOCK === 0) this.#rowBlocks.push(this.#block());
    const block = this.#rowBlocks.at(-1) ?? 0;
    this.#words(block + BLOCK_BYTES)[block / 4 + (slot % ROWS_PER_BLOCK)] = row;
  }

  #setLive(slot: number, live: boolean): void {
    const block = this.#liveBlocks[Math.floor(slot / LIVE_SLOTS_PER_BLOCK)] ?? 0;
    const inBlock = slot % LIVE_SLOTS_PER_BLOCK;
    const word = block / 4 + (inBlock >>> 5);
    const words = this.#words(block + BLOCK_BYTES);
    const bit = 1 << (inBlock & 31);
    words[word] = live ? (words[word] ?? 0) | bit : (words[word] ?? 0) & ~bit;
  }

  #block(): number {
    const block = this.#context.allocator.block();
    this.#ownBlocks.push(block);
    return block;
  }

  #words(endByte: number): Uint32Array<SharedArrayBuffer> {
    return this.#context.arena.words(endByte);
  }
}
