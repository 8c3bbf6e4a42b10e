// Allocates frames of an arena, and 4 KiB blocks within frames. One per arena, used only by the index's writer.
import { ARENA_FRAMES_MAX, type Arena, FRAME_BYTES } from './arena.ts';
import { CountedBuffers } from './counted-buffers.ts';
import { CountedFrames } from './counted-frames.ts';
import type { Epochs } from './epochs.ts';
import type { FileBytes, FileFrames } from './file-frames.ts';
import type { FrameBudget } from './frame-budget.ts';
import { framesOf } from './frame-runs.ts';
import { type Reservation, Reservations } from './reservations.ts';

export const BLOCK_BYTES = 4_096;
/** Growing is a system call: sixteen frames (1 MiB) at a time keep it rare. Small arenas grow by less, to waste little. */
const GROW_FRAMES = 16;
const GROW_SHARE = 1 / 64;

/** The arena has reached 4 GiB, or all indexes together the memory limit. */
export class ArenaFull extends Error {
  override readonly message = 'the index memory is full';
}

type Retired = {
  readonly epoch: number;
  readonly frames: readonly number[];
  readonly blocks: readonly number[];
};

/** What one more owner would allocate and reserve. */
export interface MemoryNeed extends Reservation {
  /** Frames that may lie in a file, beside those in memory. */
  readonly inFile: number;
}

export class Allocator {
  readonly counted: CountedFrames;
  readonly buffers: CountedBuffers;
  readonly reservations = new Reservations();
  readonly #arena: Arena;
  /** Of all that is retired here. */
  readonly epochs: Epochs;
  readonly #framesMax: number;
  /** Where `frameInFile` takes frames from; null for memory. A file that was set stays, since frames of it may be in use. */
  file: FileFrames | null = null;
  #freeFrames: number[] = [];
  readonly #freeBlocks: number[] = [];
  #retired: Retired[] = [];
  #usesReserved = false;

  constructor(
    arena: Arena,
    options: {
      readonly epochs: Epochs;
      readonly budget: FrameBudget;
      readonly framesMax?: number;
      /** Frames of the arena that the budget counts already; default none. */
      readonly framesTaken?: number;
    },
  ) {
    this.#arena = arena;
    this.epochs = options.epochs;
    this.#framesMax = options.framesMax ?? ARENA_FRAMES_MAX;
    this.counted = new CountedFrames(arena, options.budget, options.framesTaken);
    this.buffers = new CountedBuffers(options.budget);
  }

  /** Free frames in the arena. */
  get framesFree(): number {
    this.#reclaim();
    return this.#freeFrames.length;
  }

  /** Frames that can still be allocated here, apart from the memory limit, without touching reservations. */
  get available(): number {
    this.#reclaim();
    return this.#freeFrames.length + Math.max(0, this.#ungrown) - this.reservations.sum.frames;
  }

  /** Reserves memory in place of what `owner` had reserved. @returns false, and changes nothing, if there is too little */
  reserve(owner: object, reservation: Reservation): boolean {
    const before = this.reservations.get(owner);
    // Readers may have taken more than was reserved for them. That must not get worse, but free frames may be used.
    const ungrownMin = Math.min(0, this.#ungrown);
    this.reservations.set(owner, reservation);
    if (this.available >= 0 && this.#ungrown >= ungrownMin) return true;
    this.reservations.set(owner, before);
    return false;
  }

  /** True when so much is free for one more owner, apart from the memory limit. */
  fits(need: MemoryNeed): boolean {
    const probe = {};
    // Frames of the file may be among those that are retired.
    this.#reclaim();
    const isFitting = this.reserve(probe, reservationFor(need, this.file));
    this.reservations.set(probe, null);
    return isFitting;
  }

  /** Lets `work` allocate reserved memory. */
  withReserved<Result>(work: () => Result): Result {
    const before = this.#usesReserved;
    this.#usesReserved = true;
    try {
      return work();
    } finally {
      this.#usesReserved = before;
    }
  }

  /** Address of a frame; its content is undefined. @throws ArenaFull */
  frame(): number {
    if (!this.#usesReserved && this.available <= 0) throw new ArenaFull();
    this.#reclaim();
    const free = this.#freeFrames.pop();
    if (free !== undefined) return free;
    const step = Math.max(1, Math.min(GROW_FRAMES, Math.floor(this.#framesMax * GROW_SHARE)));
    const grown = this.#ungrown >= step ? this.#grow(step) : null;
    if (grown === null) return this.#growOrThrow(1);
    for (let i = step - 1; i > 0; i--) this.#freeFrames.push(grown + i * FRAME_BYTES);
    return grown;
  }

  /** As `frame`, for what need not stay in memory: in a file where the arena has one with room. @throws ArenaFull */
  frameInFile(): number {
    const { file } = this;
    if (file === null) return this.frame();
    this.#reclaim();
    return file.take() ?? (this.#growFile(file) ? file.take() : null) ?? this.frame();
  }

  /**
   * `count` frames that hold what a file does; what is written to them stays in memory. Retire them together.
   * @returns null where they would not lie in a file, or the arena has no room for them beside each other
   */
  framesFrom(source: FileBytes, count: number): readonly number[] | null {
    const { file } = this;
    if (file === null || count === 0) return null;
    this.#reclaim();
    const address = file.takeVacant(count) ?? this.#growFor(count);
    if (address === null) return null;
    return file.map(source, { address, count }) ? framesOf({ address, count }) : null;
  }

  /** Address of `count` contiguous frames; retire them one by one. @throws ArenaFull */
  frames(count: number): number {
    if (count === 1) return this.frame();
    if (!this.#usesReserved && this.available < count) throw new ArenaFull();
    return this.#takeRun(count) ?? this.#growOrThrow(count);
  }

  /** Address of a block, zeroed. @throws ArenaFull */
  block(): number {
    this.#reclaim();
    let address = this.#freeBlocks.pop();
    if (address === undefined) {
      const frame = this.frame();
      for (let at = FRAME_BYTES - BLOCK_BYTES; at > 0; at -= BLOCK_BYTES) this.#freeBlocks.push(frame + at);
      address = frame;
    }
    this.#arena.words(address + BLOCK_BYTES).fill(0, address / 4, (address + BLOCK_BYTES) / 4);
    return address;
  }

  /** Frees frames at once: no reader may know them. */
  giveBack(frames: Iterable<number>): void {
    const inFile: number[] = [];
    for (const frame of frames) (this.file?.has(frame) ? inFile : this.#freeFrames).push(frame);
    this.file?.give(inFile);
  }

  /** Frees memory once no reader can still use it. */
  retire(frames: readonly number[], blocks: readonly number[]): void {
    this.#retired.push({ epoch: this.epochs.advance(), frames, blocks });
  }

  /** Frames that the arena can still grow by without touching reservations of contiguous frames and scratch memory. */
  get #ungrown(): number {
    const { frames } = this.#arena;
    const scratchLeft = Math.max(0, this.reservations.sum.scratch - (frames - this.counted.own));
    return this.#framesMax - frames - scratchLeft - this.reservations.sum.ungrown;
  }

  /** Allocates contiguous free frames. */
  #takeRun(count: number): number | null {
    this.#reclaim();
    const free = this.#freeFrames.toSorted((a, b) => a - b);
    for (let first = 0; first + count <= free.length; first++) {
      const address = free[first] ?? 0;
      if (free[first + count - 1] !== address + (count - 1) * FRAME_BYTES) continue;
      const end = address + count * FRAME_BYTES;
      this.#freeFrames = free.filter((frame) => frame < address || frame >= end);
      return address;
    }
    return null;
  }

  #growOrThrow(frames: number): number {
    const address = this.#grow(frames);
    if (address === null) throw new ArenaFull();
    return address;
  }

  #grow(frames: number): number | null {
    const available = this.#ungrown + (this.#usesReserved ? this.reservations.sum.ungrown : 0);
    return frames > available ? null : this.counted.grow(frames);
  }

  /** Address of new frames that the budget does not count; null when there is no room for so many. */
  #growFor(count: number): number | null {
    return this.#hasRoomFor(count) ? this.counted.growInFile(count) : null;
  }

  #hasRoomFor(count: number): boolean {
    return this.available > count && this.#ungrown >= count;
  }

  /** The file first: what the arena has grown by stays, even when the file has no room. */
  #growFile(file: FileFrames): boolean {
    const { regionFrames } = file;
    if (!file.hasVacant(regionFrames) && !this.#hasRoomFor(regionFrames)) return false;
    if (!file.extend()) return false;
    const address = file.takeVacant(regionFrames) ?? this.counted.growInFile(regionFrames);
    if (address === null) return false;
    if (file.add(address)) return true;
    // Without room in the budget, nobody ever touches them, so that they take none.
    if (this.counted.keepInMemory(regionFrames))
      for (let at = regionFrames - 1; at >= 0; at--) this.#freeFrames.push(address + at * FRAME_BYTES);
    return false;
  }

  #reclaim(): void {
    if (this.#retired.length === 0) return;
    const oldest = this.epochs.oldestPinned();
    const ready = this.#retired.filter((batch) => batch.epoch <= oldest);
    if (ready.length === 0) return;
    this.#retired = this.#retired.filter((batch) => batch.epoch > oldest);
    for (const batch of ready) {
      // One by one: a large namespace has more blocks than a call may have arguments.
      this.giveBack(batch.frames);
      for (const block of batch.blocks) this.#freeBlocks.push(block);
    }
  }
}

/** What is to be reserved of an arena for a need: nothing for frames that its file has already. */
export function reservationFor({ inFile, ...need }: MemoryNeed, file: FileFrames | null): Reservation {
  return { ...need, frames: need.frames + inFile - (file?.framesFor(inFile) ?? 0) };
}

/** Allocates `count` zeroed blocks, all or none. @throws ArenaFull */
export function blocksOf(allocator: Allocator, count: number): readonly number[] {
  const blocks: number[] = [];
  try {
    for (let i = 0; i < count; i++) blocks.push(allocator.block());
  } catch (error) {
    allocator.retire([], blocks);
    throw error;
  }
  return blocks;
}
