// Frames of an arena that a file backs: the system writes them to disk and drops them from memory when it needs room.
// The file is scratch, which nobody finds by a name: what it holds is derived, and made anew at each start.
import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Advice, type SystemCalls, systemCalls } from '../../../platform/native/system-calls.ts';
import { type Arena, FRAME_BYTES } from './arena.ts';

/** A file that was not removed, because the process died in between, is overwritten by the next. */
const NAME = 'codes.scratch';
/** Frames to map at a time: few for a small index, then more, since the system allows a process some 65,000 mappings. */
const FIRST_FRAMES = 16;
const REGION_FRAMES = 64;
const REGION_SHARE = 1 / 64;
const ZEROS = Buffer.alloc(16 * FRAME_BYTES);
/** How long a disk that was full is left alone: each attempt writes some MiB. */
const FULL_FOR_MS = 60_000;

export interface FileFramesOptions {
  /** Where the file lies. */
  readonly folder: string;
  /** The most that the arena may have. */
  readonly framesMax: number;
  /** In milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

export class FileFrames {
  readonly #arena: Arena;
  readonly #calls: SystemCalls;
  readonly #path: string;
  readonly #framesMax: number;
  readonly #now: () => number;
  readonly #free: number[] = [];
  readonly #frames = new Set<number>();
  /** Opened with the first region. */
  #fd: number | null = null;
  /** Of the file that is mapped. */
  #bytes = 0;
  /** Of the file that is written: as much as is mapped, or the next region besides. */
  #written = 0;
  /** No region is added before this time. */
  #notBefore = Number.NEGATIVE_INFINITY;

  private constructor(arena: Arena, calls: SystemCalls, options: FileFramesOptions) {
    this.#arena = arena;
    this.#calls = calls;
    this.#path = join(options.folder, NAME);
    this.#framesMax = options.framesMax;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Frames for an arena of at most `framesMax`; there is no file before the first is needed.
   * @returns null where the system has no such mappings: all frames then stay in memory
   */
  static of(arena: Arena, options: FileFramesOptions, calls = systemCalls()): FileFrames | null {
    return calls === null ? null : new FileFrames(arena, calls, options);
  }

  /** Frames to add at a time. */
  get regionFrames(): number {
    const most = this.#bytes === 0 ? FIRST_FRAMES : REGION_FRAMES;
    return Math.max(1, Math.min(most, Math.floor(this.#framesMax * REGION_SHARE)));
  }

  get framesFree(): number {
    return this.#free.length;
  }

  has(frame: number): boolean {
    return this.#frames.has(frame);
  }

  /** Address of a free frame; its content is undefined. Null when there is none. */
  take(): number | null {
    return this.#free.pop() ?? null;
  }

  give(frame: number): void {
    this.#free.push(frame);
  }

  /**
   * Writes the blocks of `regionFrames` frames more, so that no later write into memory can lack them.
   * @returns false when the disk has no room for them, or had none a moment ago
   */
  extend(): boolean {
    if (this.#now() < this.#notBefore) return false;
    const end = this.#bytes + this.regionFrames * FRAME_BYTES;
    try {
      this.#fd ??= openNameless(this.#path);
      while (this.#written < end) {
        const piece = Math.min(ZEROS.length, end - this.#written);
        this.#written += writeSync(this.#fd, ZEROS, 0, piece, this.#written);
      }
      return true;
    } catch {
      this.#notBefore = this.#now() + FULL_FOR_MS;
      this.#giveBack();
      return false;
    }
  }

  /**
   * Lets what `extend` wrote back `regionFrames` new frames of the arena, from `address` on, and frees them here.
   * @returns false when the system refuses, which it would again: it is not asked any more
   */
  add(address: number): boolean {
    const count = this.regionFrames;
    const bytes = count * FRAME_BYTES;
    const start = this.#calls.addressOf(this.#arena.bufferOf(address + bytes));
    const range = { address: start + BigInt(address), bytes };
    if (this.#fd === null || !this.#calls.mapOver(this.#fd, this.#bytes, range)) {
      this.#notBefore = Number.POSITIVE_INFINITY;
      this.#giveBack();
      return false;
    }
    this.#calls.advise(range, Advice.Random);
    this.#bytes += bytes;
    for (let at = count - 1; at >= 0; at--) {
      const frame = address + at * FRAME_BYTES;
      this.#frames.add(frame);
      this.#free.push(frame);
    }
    return true;
  }

  /** Frees what is written and not mapped: others may want it on a full disk. */
  #giveBack(): void {
    this.#written = this.#bytes;
    try {
      if (this.#fd !== null) ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // It stays longer than it need be.
    }
  }

  /** The file goes when the arena does: mappings keep it. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** A new file that nobody else can open. */
function openNameless(path: string): number {
  rmSync(path, { force: true });
  const fd = openSync(path, 'wx+', 0o600);
  rmSync(path);
  return fd;
}
