// The arenas of one index: one at first, more when namespaces need them.
import { randomInt } from 'node:crypto';
import type { SearchedIndex } from '../../../domain/full-text/searched-texts.ts';
import type { Metric } from '../../../domain/index-model.ts';
import { LARGE_PAGE_BYTES, LargePages } from '../../../platform/native/large-pages.ts';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator, ArenaFull, type MemoryNeed } from '../memory/allocator.ts';
import { ARENA_FRAMES_MAX, ARENA_FRAMES_MIN, Arena, FRAME_BYTES } from '../memory/arena.ts';
import type { Epochs } from '../memory/epochs.ts';
import { FileFrames, isAnyInFile } from '../memory/file-frames.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
import { NOTHING } from '../memory/reservations.ts';
import type { SegmentContext } from './segment-context.ts';

export interface PoolOptions {
  readonly epochs: Epochs;
  readonly dimension: number | null;
  readonly metric: Metric;
  /** Default: no texts. */
  readonly searched?: SearchedIndex;
  readonly columnSeed: number;
  /** Where files may be for what need not stay in memory; by default nowhere. */
  readonly diskFolder?: string;
  /** Default: no limit but that of the arenas. */
  readonly budget?: FrameBudget;
  /** Limit of each arena, below 4 GiB. */
  readonly framesMax?: number;
  readonly arenasMax?: number;
  /** Segments with fewer slots have no graph; default: none has. */
  readonly graphSlotsMin?: number;
  /** Frames of scratch memory that readers and builders of such a segment may take; default none. */
  readonly scratchFrames?: (needs: ScratchNeeds) => number;
  /** Called with each arena but the very first, before anything in it is announced. */
  readonly onArena: (opened: OpenedArena) => void;
}

export interface OpenedArena {
  readonly number: number;
  readonly memory: WebAssembly.Memory;
  /** What had this number until now: all threads are to drop it. Null for one arena more. */
  readonly left: WebAssembly.Memory | null;
}

/** What the scratch memory of searches and builds depends on. */
export interface ScratchNeeds {
  readonly slots: number;
  readonly dimension: number | null;
  readonly hasSparse: boolean;
  readonly hasGraph: boolean;
}

const NO_TEXTS: SearchedIndex = { documents: null };
const ARENAS_MAX = 1_024;
/** Share of an arena that is always reserved for scratch memory, and the most: small arenas must hold something, too. */
const SCRATCH_SHARE = 1 / 32;
const SCRATCH_SHARE_MAX = 1 / 4;
/** A new segment goes to an arena of which at least this share is free. */
const FREE_SHARE_MIN = 1 / 16;

export class MemoryPool {
  readonly #options: PoolOptions & { readonly budget: FrameBudget; readonly framesMax: number };
  readonly #contexts: SegmentContext[] = [];
  /** By the number of their arena. */
  readonly #files = new Map<number, FileFrames>();
  #isOnDisk = false;
  readonly #largePages = new LargePages();

  /** Opens the first arena, even beyond the memory limit: an index needs one, and it is small. */
  constructor(options: PoolOptions) {
    const { budget = FrameBudget.of(Number.MAX_SAFE_INTEGER), framesMax = ARENA_FRAMES_MAX } = options;
    this.#options = { ...options, budget, framesMax };
    this.#openFirst();
  }

  get first(): SegmentContext {
    return this.#contexts[0] ?? this.#openFirst();
  }

  get budget(): FrameBudget {
    return this.#options.budget;
  }

  /** Frames of all arenas, and of buffers beside them, that the budget counts. */
  get frames(): number {
    return this.#contexts.reduce(
      (sum, { allocator }) => sum + allocator.counted.taken + allocator.buffers.frames,
      0,
    );
  }

  /** Frames that `renew` would not free. */
  get framesMin(): number {
    return ARENA_FRAMES_MIN + this.#rowFrames;
  }

  /** Free frames in its arenas. */
  get framesFree(): number {
    return this.#contexts.reduce((sum, { allocator }) => sum + allocator.framesFree, 0);
  }

  /** Lets the budget count what readers and builders have grown the arenas by. */
  countFrames(): void {
    for (const { allocator } of this.#contexts) allocator.counted.update();
  }

  /**
   * Gives back arenas that nothing is in any more, and moves new memory to large pages in the background. Call every few
   * seconds while nothing is being loaded.
   */
  tidy(): void {
    this.#renewUnused();
    const { memories } = this;
    this.#largePages.follow(memories, (memory, at) => {
      const file = this.#files.get(memories.indexOf(memory));
      return file !== undefined && isAnyInFile(file, at, LARGE_PAGE_BYTES);
    });
  }

  /** In the order of their numbers. */
  get memories(): readonly WebAssembly.Memory[] {
    return this.#contexts.map(({ arena }) => arena.memory);
  }

  /**
   * An arena for a new segment, and none of `taken`: a namespace has at most one segment in each. Where none has room for
   * `need`, it is a new one, even if that has too little as well. @throws ArenaFull
   */
  pick(taken: readonly SegmentContext[] = [], need: MemoryNeed = { ...NOTHING, inFile: 0 }): SegmentContext {
    const frames = Math.max(need.frames, this.#options.framesMax * FREE_SHARE_MIN);
    const find = (isFitting: (context: SegmentContext) => boolean) =>
      this.#contexts.find((each) => !taken.some(({ number }) => number === each.number) && isFitting(each));
    const findFitting = () => find(({ allocator }) => allocator.fits({ ...need, frames }));
    const fitting = findFitting();
    if (fitting !== undefined) return fitting;
    this.#renewUnused();
    return findFitting() ?? find(isUnused) ?? this.#openOneMore();
  }

  /**
   * Replaces all arenas by a new first one, and frees their frames in the budget. A WebAssembly memory never shrinks:
   * its pages are freed when no thread references it any more.
   * @returns the first of the old arenas; raise its version when every reader has been notified
   */
  renew(): Arena {
    const left = this.first.arena;
    this.close();
    this.#openFirst().arena.startStructureAt(left.structureVersion + 1);
    return left;
  }

  /**
   * Whether segments that begin from now on keep codes in a file; those that there are stay as they are.
   * @returns false when it was so already
   */
  keepOnDisk(isOnDisk: boolean): boolean {
    if (isOnDisk === this.#isOnDisk) return false;
    this.#isOnDisk = isOnDisk;
    for (const [at, context] of this.#contexts.entries()) {
      if (isOnDisk) this.#openFile(context);
      this.#contexts[at] = { ...context, hasNodeCodes: isOnDisk };
    }
    return true;
  }

  #openFile({ number, arena, allocator }: SegmentContext): void {
    const { diskFolder: folder, framesMax } = this.#options;
    if (folder === undefined || this.#files.has(number)) return;
    const file = FileFrames.of(arena, { folder, framesMax });
    if (file === null) return;
    this.#files.set(number, file);
    allocator.file = file;
  }

  /** Frees all frames in the budget; nothing in the arenas may be used any more. */
  close(): void {
    for (const context of this.#contexts) this.#closeOne(context);
    this.#contexts.length = 0;
    this.#largePages.follow([]);
  }

  #openOneMore(): SegmentContext {
    if (this.#contexts.length >= (this.#options.arenasMax ?? ARENAS_MAX)) throw new ArenaFull();
    if (!this.#options.budget.take(this.framesMin)) throw new ArenaFull();
    const opened = this.#open(this.#contexts.length);
    this.#options.onArena({ number: opened.number, memory: opened.arena.memory, left: null });
    return opened;
  }

  /**
   * Replaces arenas that nothing is in by new ones. What they have grown by is free for all indexes again, and a new one
   * has room that an old one lacks: for contiguous frames, and where readers have left scratch memory.
   */
  #renewUnused(): void {
    for (const context of this.#contexts) {
      const { number, arena } = context;
      if (!isUnused(context) || arena.frames <= this.framesMin) continue;
      this.#closeOne(context);
      this.#options.budget.note(this.framesMin);
      const opened = this.#open(number).arena;
      // Readers look at the first arena's version: those that still look at the old one must see the change, too.
      opened.startStructureAt(arena.structureVersion);
      this.#options.onArena({ number, memory: opened.memory, left: arena.memory });
      arena.announceStructure();
    }
  }

  /** Frees the frames of an arena in the budget. */
  #closeOne({ number, allocator }: SegmentContext): void {
    this.#options.budget.give(allocator.counted.taken);
    allocator.buffers.close();
    this.#files.get(number)?.close();
    this.#files.delete(number);
  }

  /** Frames for the scratch memory of one float row. */
  get #rowFrames(): number {
    const rowBytes = (this.#options.dimension ?? 0) * Float32Array.BYTES_PER_ELEMENT;
    return Math.ceil((rowBytes + 1) / FRAME_BYTES);
  }

  #scratchFrames(needs: ScratchNeeds): number {
    const { scratchFrames, framesMax } = this.#options;
    return Math.min(scratchFrames?.(needs) ?? 0, Math.floor(framesMax * SCRATCH_SHARE_MAX));
  }

  #openFirst(): SegmentContext {
    this.#options.budget.note(this.framesMin);
    return this.#open(0);
  }

  /** Opens the arena of this number; the budget counts its first frames already. */
  #open(number: number): SegmentContext {
    const { epochs, budget, dimension, metric, columnSeed, framesMax } = this.#options;
    const { graphSlotsMin = Number.POSITIVE_INFINITY, searched = NO_TEXTS } = this.#options;
    const framesTaken = this.framesMin;
    const arena = Arena.create(framesMax, framesTaken);
    const allocator = new Allocator(arena, { epochs, budget, framesMax, framesTaken });
    allocator.reservations.set(this, { ...NOTHING, scratch: Math.floor(framesMax * SCRATCH_SHARE) });
    const context = {
      number,
      arena,
      allocator,
      kernel: loadKernel(arena.memory),
      dimension,
      metric,
      ...searched,
      rowScratch: ARENA_FRAMES_MIN * FRAME_BYTES,
      columnSeed,
      hasNodeCodes: this.#isOnDisk,
      graphSlotsMin,
      scratchFrames: (slots: number, hasSparse: boolean) =>
        this.#scratchFrames({ slots, dimension, hasSparse, hasGraph: slots >= graphSlotsMin }),
    };
    if (this.#isOnDisk) this.#openFile(context);
    this.#contexts[number] = context;
    return context;
  }
}

/** True when no segment is in the arena: only the pool itself reserves memory there. */
function isUnused({ allocator }: SegmentContext): boolean {
  return allocator.reservations.owners === 1;
}

const COLUMN_SEEDS = 2 ** 48 - 1;

/** A secret for the hashes of filter columns. */
export function randomColumnSeed(): number {
  return 1 + randomInt(COLUMN_SEEDS - 1);
}
