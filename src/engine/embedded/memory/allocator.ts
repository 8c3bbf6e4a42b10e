// Hands out frames, and 4 KiB blocks cut from frames, of an arena. One per arena, used by its index's writer alone.
import { ARENA_FRAMES_MAX, type Arena, FRAME_BYTES } from './arena.ts';
import type { Epochs } from './epochs.ts';
import type { FrameBudget } from './frame-budget.ts';

export const BLOCK_BYTES = 4_096;
/** Growing is a system call; sixteen frames (1 MiB) at a time keep it rare and waste little, but not in a small arena. */
const GROW_FRAMES = 16;
const GROW_SHARE = 1 / 64;

/** The arena has reached 4 GiB, or all indexes together their ceiling: what asked for memory cannot have it here. */
export class ArenaFull extends Error {
  override readonly message = 'the index memory is full';
}

/** What whoever is promised room in an arena may still need there; others have to leave it. */
export interface Reservation {
  /** Single frames. */
  readonly frames: number;
  /** Frames at the arena's end: for areas of several frames in a row, and for the working space of readers and builders. */
  readonly ungrown: number;
  /** Of the working space of readers and builders, all of it, grown already or not. */
  readonly scratch: number;
}

type Retired = {
  readonly epoch: number;
  readonly frames: readonly number[];
  readonly blocks: readonly number[];
};

const NOTHING: Reservation = { frames: 0, ungrown: 0, scratch: 0 };

export class Allocator {
  readonly #arena: Arena;
  readonly #epochs: Epochs;
  readonly #budget: FrameBudget;
  readonly #framesMax: number;
  #freeFrames: number[] = [];
  readonly #freeBlocks: number[] = [];
  #retired: Retired[] = [];
  #framesTaken = 0;
  /** Frames of the arena that are not the working space of readers and builders. */
  #ownFrames: number;
  readonly #reservations = new Map<object, Reservation>();
  /** The sums of what is promised; of scratch, which all share, the most. */
  #reserved: Reservation = NOTHING;
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
    this.#epochs = options.epochs;
    this.#budget = options.budget;
    this.#framesMax = options.framesMax ?? ARENA_FRAMES_MAX;
    this.#framesTaken = options.framesTaken ?? 0;
    this.#ownFrames = options.framesTaken ?? arena.frames;
  }

  /** Frames taken from the budget. */
  get framesTaken(): number {
    return this.#framesTaken;
  }

  /** Lets the budget count what readers and builders have grown the arena by: they take their working space unasked. */
  countFrames(): void {
    const uncounted = this.#arena.memory.grow(0) - this.#framesTaken;
    this.#budget.note(uncounted);
    this.#framesTaken += uncounted;
  }

  /** Frames in the arena that nobody uses. */
  get framesFree(): number {
    this.#reclaim();
    return this.#freeFrames.length;
  }

  /** Frames that could still be had here, as far as the arena goes, beyond what is promised to others. */
  get room(): number {
    this.#reclaim();
    return this.#freeFrames.length + Math.max(0, this.#ungrown) - this.#reserved.frames;
  }

  /** Promises room in place of what `owner` was promised before. @returns false, and changes nothing, where there is not so much */
  reserve(owner: object, wanted: Reservation): boolean {
    const before = this.#reservations.get(owner) ?? NOTHING;
    // Readers may have taken more than was kept for them: that must not get worse, but is no reason to refuse free frames.
    const ungrownMin = Math.min(0, this.#ungrown);
    this.forceReserve(owner, wanted);
    if (this.room >= 0 && this.#ungrown >= ungrownMin) return true;
    this.forceReserve(owner, before);
    return false;
  }

  /** As `reserve`, whether or not there is so much: others get nothing until there is. */
  forceReserve(owner: object, wanted: Reservation): void {
    this.#reservations.set(owner, wanted);
    this.#sumReservations();
  }

  /** Takes back what was promised. */
  unreserve(owner: object): void {
    if (this.#reservations.delete(owner)) this.#sumReservations();
  }

  /** What `work` asks for may be taken from what is promised. */
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
    if (!this.#usesReserved && this.room <= 0) throw new ArenaFull();
    this.#reclaim();
    const free = this.#freeFrames.pop();
    if (free !== undefined) return free;
    const batch = Math.max(1, Math.min(GROW_FRAMES, Math.floor(this.#framesMax * GROW_SHARE)));
    const grown = this.#ungrown >= batch ? this.#grow(batch) : null;
    if (grown === null) return this.#growOrThrow(1);
    for (let i = batch - 1; i > 0; i--) this.#freeFrames.push(grown + i * FRAME_BYTES);
    return grown;
  }

  /** Address of `count` frames in a row; retire them one by one. @throws ArenaFull */
  frames(count: number): number {
    if (count === 1) return this.frame();
    if (!this.#usesReserved && this.room < count) throw new ArenaFull();
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

  /** As many zeroed blocks, all or none. @throws ArenaFull */
  blocks(count: number): readonly number[] {
    const blocks: number[] = [];
    try {
      for (let i = 0; i < count; i++) blocks.push(this.block());
    } catch (error) {
      this.retire([], blocks);
      throw error;
    }
    return blocks;
  }

  /** Gives memory back for use once no reader can still be looking at it. */
  retire(frames: readonly number[], blocks: readonly number[]): void {
    this.#retired.push({ epoch: this.#epochs.advance(), frames, blocks });
  }

  /** Frames that the arena can still grow by, beyond what is kept for areas in a row and for working space. */
  get #ungrown(): number {
    const { frames } = this.#arena;
    const scratchLeft = Math.max(0, this.#reserved.scratch - (frames - this.#ownFrames));
    return this.#framesMax - frames - scratchLeft - this.#reserved.ungrown;
  }

  #sumReservations(): void {
    let [frames, ungrown, scratch] = [0, 0, 0];
    for (const each of this.#reservations.values()) {
      frames += each.frames;
      ungrown += each.ungrown;
      scratch = Math.max(scratch, each.scratch);
    }
    this.#reserved = { frames, ungrown, scratch };
  }

  /** Takes free frames that lie in a row. */
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
    const room = this.#ungrown + (this.#usesReserved ? this.#reserved.ungrown : 0);
    if (frames > room || !this.#budget.take(frames)) return null;
    const address = this.#arena.grow(frames);
    if (address === null) {
      this.#budget.give(frames);
      return null;
    }
    this.#framesTaken += frames;
    this.#ownFrames += frames;
    return address;
  }

  #reclaim(): void {
    if (this.#retired.length === 0) return;
    const oldest = this.#epochs.oldestPinned();
    const ready = this.#retired.filter((batch) => batch.epoch <= oldest);
    if (ready.length === 0) return;
    this.#retired = this.#retired.filter((batch) => batch.epoch > oldest);
    for (const batch of ready) {
      // One by one: a large namespace has more blocks than a call takes arguments.
      for (const frame of batch.frames) this.#freeFrames.push(frame);
      for (const block of batch.blocks) this.#freeBlocks.push(block);
    }
  }
}
