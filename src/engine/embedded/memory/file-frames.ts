// Frames of an arena that a file backs: the system writes them to disk and drops them from memory when it needs room.
// The file is scratch, which nobody finds by a name: what it holds is derived, and made anew at each start.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
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

export class FileFrames {
  readonly #arena: Arena;
  readonly #calls: SystemCalls;
  readonly #path: string;
  readonly #framesMax: number;
  readonly #free: number[] = [];
  readonly #frames = new Set<number>();
  /** Opened with the first region. */
  #fd: number | null = null;
  #bytes = 0;

  private constructor(
    arena: Arena,
    calls: SystemCalls,
    { path, framesMax }: { readonly path: string; readonly framesMax: number },
  ) {
    this.#arena = arena;
    this.#calls = calls;
    this.#path = path;
    this.#framesMax = framesMax;
  }

  /**
   * Frames for an arena of at most `framesMax`; there is no file before the first is needed.
   * @returns null where the system has no such mappings: all frames then stay in memory
   */
  static of(
    arena: Arena,
    { folder, framesMax }: { readonly folder: string; readonly framesMax: number },
    calls = systemCalls(),
  ): FileFrames | null {
    return calls === null ? null : new FileFrames(arena, calls, { path: join(folder, NAME), framesMax });
  }

  /** Frames to add at a time. */
  get regionFrames(): number {
    const most = this.#bytes === 0 ? FIRST_FRAMES : REGION_FRAMES;
    return Math.max(1, Math.min(most, Math.floor(this.#framesMax * REGION_SHARE)));
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
   * Lets the file back `regionFrames` new frames of the arena, from `address` on, and frees them here.
   * @returns false when the disk or the system has no room for them
   */
  add(address: number): boolean {
    const count = this.regionFrames;
    const bytes = count * FRAME_BYTES;
    const fd = this.#extend(bytes);
    if (fd === null) return false;
    const start = this.#calls.addressOf(this.#arena.bufferOf(address + bytes));
    const range = { address: start + BigInt(address), bytes };
    if (!this.#calls.mapOver(fd, this.#bytes, range)) return false;
    this.#calls.advise(range, Advice.Random);
    this.#bytes += bytes;
    for (let at = count - 1; at >= 0; at--) {
      const frame = address + at * FRAME_BYTES;
      this.#frames.add(frame);
      this.#free.push(frame);
    }
    return true;
  }

  /** Writes the blocks, so that no later write into memory can lack them. @returns the file; null without room */
  #extend(bytes: number): number | null {
    try {
      this.#fd ??= openNameless(this.#path);
      for (let done = 0; done < bytes; ) {
        const piece = Math.min(ZEROS.length, bytes - done);
        done += writeSync(this.#fd, ZEROS, 0, piece, this.#bytes + done);
      }
      return this.#fd;
    } catch {
      return null;
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
