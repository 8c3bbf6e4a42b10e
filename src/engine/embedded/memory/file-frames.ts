// Frames of an arena that files back: the system drops them from memory when it needs room. What is derived anew lies in
// a scratch file, which nobody finds by a name; what was saved is mapped from where it was saved.
import { join } from 'node:path';
import { monotonicMs } from '../../../platform/monotonic-clock.ts';
import {
  Advice,
  type MemoryRange,
  type SystemCalls,
  systemCalls,
} from '../../../platform/native/system-calls.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';
import { endOf, type FrameRun, framesOf, joined, runsOf } from './frame-runs.ts';
import { ScratchFile } from './scratch-file.ts';

const NAME = 'codes.scratch';
/** Frames to map at a time: few for a small index, then more, since the system allows a process some 65,000 mappings. */
const FIRST_FRAMES = 16;
const REGION_FRAMES = 64;
const REGION_SHARE = 1 / 64;
/** How long a disk that was full is left alone: each attempt writes some MiB. */
const FULL_FOR_MS = 60_000;

export interface FileFramesOptions {
  /** Where the scratch file lies. */
  readonly folder: string;
  /** The most that the arena may have. */
  readonly framesMax: number;
  /** In milliseconds; default the monotonic clock. */
  readonly now?: () => number;
}

/** Bytes of an open file, from a page boundary on, that never change. */
export interface FileBytes {
  readonly fd: number;
  readonly from: number;
}

export class FileFrames {
  readonly #arena: Arena;
  readonly #calls: SystemCalls;
  readonly #scratch: ScratchFile;
  readonly #framesMax: number;
  readonly #now: () => number;
  /** Frames of the scratch file that are not in use. */
  readonly #free: number[] = [];
  /** Frames of the scratch file, and frames in use that other files back. */
  readonly #scratchFrames = new Set<number>();
  readonly #mapped = new Set<number>();
  /** What other files backed, and nothing does now. */
  #vacant: readonly FrameRun[] = [];
  /** No region is added before this time. */
  #notBefore = Number.NEGATIVE_INFINITY;

  private constructor(arena: Arena, calls: SystemCalls, options: FileFramesOptions) {
    this.#arena = arena;
    this.#calls = calls;
    this.#scratch = new ScratchFile(join(options.folder, NAME));
    this.#framesMax = options.framesMax;
    this.#now = options.now ?? monotonicMs;
  }

  /**
   * Frames for an arena of at most `framesMax`; there is no scratch file before the first is needed.
   * @returns null where the system has no such mappings: all frames then stay in memory
   */
  static of(arena: Arena, options: FileFramesOptions, calls = systemCalls()): FileFrames | null {
    return calls === null ? null : new FileFrames(arena, calls, options);
  }

  /** Frames to add at a time. */
  get regionFrames(): number {
    const most = this.#scratch.bytes === 0 ? FIRST_FRAMES : REGION_FRAMES;
    return Math.max(1, Math.min(most, Math.floor(this.#framesMax * REGION_SHARE)));
  }

  /** Of so many frames for one owner, how many there are without growing the arena: a file is mapped in one piece. */
  framesFor(count: number): number {
    return this.hasVacant(count) ? count : Math.min(count, this.#free.length);
  }

  has(frame: number): boolean {
    return this.#scratchFrames.has(frame) || this.#mapped.has(frame);
  }

  /** Address of a free frame of the scratch file; its content is undefined. Null when there is none. */
  take(): number | null {
    return this.#free.pop() ?? null;
  }

  hasVacant(count: number): boolean {
    return this.#vacant.some((run) => run.count >= count);
  }

  /** Address of contiguous frames that nothing backs, for `add` or `map`; null when there are none. */
  takeVacant(count: number): number | null {
    const run = this.#vacant.find((each) => each.count >= count);
    if (run === undefined) return null;
    const left = { address: run.address + count * FRAME_BYTES, count: run.count - count };
    this.#vacant = this.#vacant.flatMap((each) => (each === run ? (left.count > 0 ? [left] : []) : [each]));
    return run.address;
  }

  /** Takes frames back, those of other files together: the more, the fewer calls of the system. */
  give(frames: readonly number[]): void {
    const mapped = frames.filter((frame) => this.#mapped.delete(frame));
    // Where the system refuses, the file stays as long as the arena, or until others take its place.
    for (const run of runsOf(mapped)) {
      this.#calls.renew(this.#rangeOf(run));
      this.#leave(run);
    }
    for (const frame of frames) if (this.#scratchFrames.has(frame)) this.#free.push(frame);
  }

  /**
   * Lets the scratch file have `regionFrames` frames more, so that no later write into memory can lack them.
   * @returns false when the disk has no room for them, or had none a moment ago
   */
  extend(): boolean {
    if (this.#now() < this.#notBefore) return false;
    if (this.#scratch.extend(this.regionFrames * FRAME_BYTES)) return true;
    this.#notBefore = this.#now() + FULL_FOR_MS;
    return false;
  }

  /**
   * Lets what `extend` wrote back `regionFrames` frames of the arena, new or vacant ones, from `address` on, and frees them
   * here.
   * @returns false when the system refuses, which it would again: it is not asked any more
   */
  add(address: number): boolean {
    const run = { address, count: this.regionFrames };
    const range = this.#rangeOf(run);
    const { fd, bytes } = this.#scratch;
    if (fd === null || !this.#calls.mapOver(fd, bytes, range)) {
      this.#notBefore = Number.POSITIVE_INFINITY;
      this.#scratch.giveBack();
      return false;
    }
    this.#calls.advise(range, Advice.Random);
    this.#scratch.use(range.bytes);
    for (const frame of framesOf(run).toReversed()) {
      this.#scratchFrames.add(frame);
      this.#free.push(frame);
    }
    return true;
  }

  /**
   * Lets a file that never changes back frames of the arena, new or vacant ones, which are then in use: they hold what the
   * file does. The file may be closed and removed afterwards.
   * @returns false when the system refuses: the frames are vacant
   */
  map({ fd, from }: FileBytes, run: FrameRun): boolean {
    const range = this.#rangeOf(run);
    if (!this.#calls.mapCopyOver(fd, from, range)) {
      this.#leave(run);
      return false;
    }
    this.#calls.advise(range, Advice.Random);
    for (const frame of framesOf(run)) this.#mapped.add(frame);
    return true;
  }

  /** Joins a run to those beside it. */
  #leave(run: FrameRun): void {
    const beside = this.#vacant.filter((each) => endOf(each) === run.address || endOf(run) === each.address);
    this.#vacant = [...this.#vacant.filter((each) => !beside.includes(each)), joined([...beside, run])];
  }

  #rangeOf({ address, count }: FrameRun): MemoryRange {
    const bytes = count * FRAME_BYTES;
    return { address: this.#calls.addressOf(this.#arena.bufferOf(address + bytes)) + BigInt(address), bytes };
  }

  /** Files go when the arena does: mappings keep them. */
  close(): void {
    this.#scratch.close();
  }
}

/** True when files back any frame of these bytes of an arena. */
export function isAnyInFile(file: FileFrames, address: number, bytes: number): boolean {
  const first = Math.floor(address / FRAME_BYTES) * FRAME_BYTES;
  for (let frame = first; frame < address + bytes; frame += FRAME_BYTES) if (file.has(frame)) return true;
  return false;
}
