// The arenas of one index: one at first, more when namespaces need them.
import { randomInt } from 'node:crypto';
import type { SearchedIndex } from '../../../domain/full-text/searched-texts.ts';
import type { Metric } from '../../../domain/index-model.ts';
import { LargePages } from '../../../platform/native/large-pages.ts';
import { loadKernel } from '../kernels/kernel.ts';
import { Allocator, ArenaFull } from '../memory/allocator.ts';
import { ARENA_FRAMES_MAX, ARENA_FRAMES_MIN, Arena, FRAME_BYTES } from '../memory/arena.ts';
import type { Epochs } from '../memory/epochs.ts';
import { FileFrames } from '../memory/file-frames.ts';
import { FrameBudget } from '../memory/frame-budget.ts';
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
  /** Called with each arena but the first, before anything in it is announced. */
  readonly onArena: (memory: WebAssembly.Memory) => void;
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

  /** Frames of all arenas that the budget counts. */
  get frames(): number {
    return this.#contexts.reduce((sum, { allocator }) => sum + allocator.counted.taken, 0);
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

  /** Moves new memory to large pages in the background. Call every few seconds while nothing is being loaded. */
  enlargePages(): void {
    this.#largePages.follow(this.memories);
  }

  /** In the order of their numbers. */
  get memories(): readonly WebAssembly.Memory[] {
    return this.#contexts.map(({ arena }) => arena.memory);
  }

  /**
   * An arena for a new segment, with at least `frames` free if there is one, and none of `taken`: a namespace has at most
   * one segment in each. @throws ArenaFull
   */
  pick(taken: readonly SegmentContext[] = [], frames = 0): SegmentContext {
    const freeMin = Math.max(frames, this.#options.framesMax * FREE_SHARE_MIN);
    const fitting = this.#contexts.find(
      (each) => !taken.some(({ number }) => number === each.number) && each.allocator.available >= freeMin,
    );
    if (fitting !== undefined) return fitting;
    if (this.#contexts.length >= (this.#options.arenasMax ?? ARENAS_MAX)) throw new ArenaFull();
    if (!this.#options.budget.take(this.framesMin)) throw new ArenaFull();
    const opened = this.#open();
    this.#options.onArena(opened.arena.memory);
    return opened;
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
    for (const { allocator } of this.#contexts) this.#options.budget.give(allocator.counted.taken);
    this.#contexts.length = 0;
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
    this.#largePages.follow([]);
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
    return this.#open();
  }

  /** Opens one more arena; the budget counts its first frames already. */
  #open(): SegmentContext {
    const { epochs, budget, dimension, metric, columnSeed, framesMax } = this.#options;
    const { graphSlotsMin = Number.POSITIVE_INFINITY, searched = NO_TEXTS } = this.#options;
    const framesTaken = this.framesMin;
    const arena = Arena.create(framesMax, framesTaken);
    const allocator = new Allocator(arena, { epochs, budget, framesMax, framesTaken });
    allocator.forceReserve(this, { frames: 0, ungrown: 0, scratch: Math.floor(framesMax * SCRATCH_SHARE) });
    const context = {
      number: this.#contexts.length,
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
    this.#contexts.push(context);
    return context;
  }
}

const COLUMN_SEEDS = 2 ** 48 - 1;

/** A secret for the hashes of filter columns. */
export function randomColumnSeed(): number {
  return 1 + randomInt(COLUMN_SEEDS - 1);
}
