// Short reads from anywhere in a file through memory mappings, in a quarter of the time of a system call. What it does not
// read is left to system calls (docs/decisions/015-native-calls.md).
import { fstatSync } from 'node:fs';
// The global of this name is looked up anew each time.
import { performance } from 'node:perf_hooks';
import { Advice, type MappedBytes, type SystemCalls } from './system-calls.ts';

/** Longer reads are mostly copying in either way, and from disk one call reads all their pages at once. */
export const WINDOW_READ_BYTES_MAX = 16_384;
/** A window begins at each multiple of this, and overlaps the next one so far that no read spans two. */
const WINDOW_BYTES = 1_073_741_824;
const WINDOW_BYTES_MAX = WINDOW_BYTES + WINDOW_READ_BYTES_MAX;
/** The shortest window; a multiple of every page size. */
const WINDOW_BYTES_MIN = 1_048_576;
/** Extra length for a growing file, so that it is rarely remapped. Address space costs nothing. */
const ROOM = 2;
/** Limit of all files of a thread together: the system allows a process some 65,000 mappings. */
const WINDOWS_MAX = 1_024;
/** A read that took so long, per piece, came from disk (or the thread was interrupted). */
const DISK_MS = 0.02;
const DISK_PIECE_MS = 0.002;
/**
 * So many pieces are left to system calls after a read from disk, since a call reads a row of two pages at once; and after
 * the system has refused a mapping.
 */
const PIECES_LEFT = 64;

let windowsOpen = 0;

/** Bytes of a file, WINDOW_READ_BYTES_MAX at most, and their target. */
export interface FilePiece {
  readonly from: number;
  readonly bytes: number;
  readonly at: number;
}

interface Window {
  /** Offset in the file. */
  readonly first: number;
  readonly content: Buffer;
  readonly mapped: MappedBytes | null;
}

const NOWHERE: Window = { first: 0, content: Buffer.alloc(0), mapped: null };

export class FileWindows {
  readonly #fd: number;
  readonly #calls: SystemCalls;
  readonly #clock: () => number;
  /** By number; null where there is none. */
  readonly #windows: (Window | null)[] = [];
  /** Lower bound of the file's size in bytes. */
  #bytes = 0;
  #piecesLeft = 0;
  /** Uses the bytes read ahead, so that the compiler does not remove the reads. */
  #touched = 0;
  #isClosed = false;

  /** The file must stay open as long as this object, and must never shrink. @param clock in milliseconds */
  constructor(fd: number, calls: SystemCalls, clock = () => performance.now()) {
    this.#fd = fd;
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Copies the pieces to their targets in `into`. @returns false when all of them must be read otherwise */
  read(pieces: readonly FilePiece[], into: Uint8Array): boolean {
    if (this.#isClosed || !this.#hasWindows(pieces)) return false;
    const began = this.#clock();
    // The first byte of each, then the rest: the memory accesses overlap.
    let touched = 0;
    for (const { from } of pieces) {
      const { content, first } = this.#windowAt(from);
      touched ^= content[from - first] ?? 0;
    }
    this.#touched ^= touched;
    for (const { from, bytes, at } of pieces) {
      const { content, first } = this.#windowAt(from);
      content.copy(into, at, from - first, from - first + bytes);
    }
    const isFromDisk = this.#clock() - began > DISK_MS + DISK_PIECE_MS * pieces.length;
    if (isFromDisk) this.#piecesLeft = PIECES_LEFT;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#windows.forEach((_, number) => {
      this.#close(number);
    });
  }

  /** Ensures windows for all pieces before any is read: remapping a window unmaps the old one. */
  #hasWindows(pieces: readonly FilePiece[]): boolean {
    if (!pieces.every(({ from, bytes }) => this.#has(from + bytes))) return false;
    if (this.#piecesLeft > 0) {
      this.#piecesLeft -= pieces.length;
      return false;
    }
    if (pieces.every((piece) => this.#hasWindow(piece))) return true;
    this.#piecesLeft = PIECES_LEFT;
    return false;
  }

  #windowAt(from: number): Window {
    return this.#windows[Math.floor(from / WINDOW_BYTES)] ?? NOWHERE;
  }

  /** True when the file is that long: reading one byte beyond its end would kill the process. */
  #has(end: number): boolean {
    if (end > this.#bytes) this.#bytes = fstatSync(this.#fd).size;
    return end <= this.#bytes;
  }

  /** Maps a window that contains the piece, unless there is one. @returns false when there is none */
  #hasWindow({ from, bytes }: FilePiece): boolean {
    const number = Math.floor(from / WINDOW_BYTES);
    const first = number * WINDOW_BYTES;
    const known = this.#windows[number] ?? NOWHERE;
    if (known.content.length >= from + bytes - first) return true;
    this.#close(number);
    if (windowsOpen >= WINDOWS_MAX) return false;
    const mapped = this.#calls.mapFile(this.#fd, first, windowBytes(this.#bytes - first));
    if (mapped === null) return false;
    this.#calls.advise(mapped, Advice.Random);
    while (this.#windows.length < number) this.#windows.push(null);
    this.#windows[number] = { first, content: Buffer.from(mapped.buffer), mapped };
    windowsOpen++;
    return true;
  }

  #close(number: number): void {
    const window = this.#windows[number] ?? null;
    if (window === null) return;
    window.mapped?.unmap();
    this.#windows[number] = null;
    windowsOpen--;
  }
}

/** Length of a window at whose start the file has so many bytes left. */
function windowBytes(bytesFromStart: number): number {
  const bytes = ROOM * Math.ceil(bytesFromStart / WINDOW_BYTES_MIN) * WINDOW_BYTES_MIN;
  return Math.min(WINDOW_BYTES_MAX, bytes);
}
