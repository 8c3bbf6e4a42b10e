// Reads short pieces of a file through memory mappings, in a quarter of the time of a system call. Other reads are
// left to system calls (docs/decisions/015-native-calls.md).
import { fstatSync } from 'node:fs';
// A local name avoids a lookup of the global one at each use.
import { performance } from 'node:perf_hooks';
import { Advice, type MappedBytes, type SystemCalls } from './system-calls.ts';

/** Longer reads gain nothing: they mostly copy, and from disk one call reads all pages at once. */
export const WINDOW_READ_BYTES_MAX = 16_384;
/** Windows start at multiples of this, and overlap so that no read spans two. */
const WINDOW_BYTES = 1_073_741_824;
const WINDOW_BYTES_MAX = WINDOW_BYTES + WINDOW_READ_BYTES_MAX;
/** The shortest window; a multiple of every page size. */
const WINDOW_BYTES_MIN = 1_048_576;
/** Extra length for a growing file, so that it is rarely remapped. Address space costs nothing. */
const ROOM = 2;
/** Limit of all files of a thread together: the system allows a process some 65,000 mappings. */
const WINDOWS_MAX = 1_024;
/** A read that takes longer for each piece came from disk (or the thread was preempted). */
const DISK_MS = 0.02;
const DISK_PIECE_MS = 0.002;
/**
 * The number of pieces that are left to system calls after a read from disk, where one call reads a row of two pages
 * at once, or after the system has refused a mapping.
 */
const PIECES_LEFT = 64;

let windowsOpen = 0;

/** A range of a file, of at most WINDOW_READ_BYTES_MAX bytes, and its target. */
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
  /** Windows by number; null where none is mapped. */
  readonly #windows: (Window | null)[] = [];
  /** Lower bound of the file's size in bytes. */
  #bytes = 0;
  #piecesLeft = 0;
  /** True when the last batch from windows came from the disk. */
  #isCold = false;
  /** Uses the bytes read ahead, so that the compiler does not remove the reads. */
  #touched = 0;
  #isClosed = false;

  /** The file must stay open as long as this object, and must never shrink. @param clock in milliseconds */
  constructor(fd: number, calls: SystemCalls, clock = () => performance.now()) {
    this.#fd = fd;
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Copies the pieces to their targets in `into`. @returns false when the caller must read them by system calls */
  read(pieces: readonly FilePiece[], into: Uint8Array): boolean {
    if (this.#isClosed || !this.#prepare(pieces)) return false;
    const began = this.#clock();
    // Touches the first byte of each piece before copying, so that memory accesses overlap.
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
    this.#isCold = this.#clock() - began > DISK_MS + DISK_PIECE_MS * pieces.length;
    if (this.#isCold) this.#piecesLeft = PIECES_LEFT;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#windows.forEach((_, number) => {
      this.#close(number);
    });
  }

  /**
   * Ensures windows for all pieces before any is read: remapping a window unmaps the old one. Where they are likely to come
   * from the disk, it is asked for all of them.
   * @returns false when the pieces are left to system calls
   */
  #prepare(pieces: readonly FilePiece[]): boolean {
    for (const { from, bytes } of pieces) if (!this.#has(from + bytes)) return false;
    const areLeft = this.#piecesLeft > 0;
    if (areLeft) this.#piecesLeft -= pieces.length;
    if (areLeft && !this.#isCold) return false;
    for (const piece of pieces) {
      if (this.#hasWindow(piece)) continue;
      this.#piecesLeft = PIECES_LEFT;
      this.#isCold = false;
      return false;
    }
    if (this.#isCold && pieces.length > 1) this.#request(pieces);
    return !areLeft;
  }

  /** Asks the system for the pages of all pieces, which the disk then reads together; nothing waits. */
  #request(pieces: readonly FilePiece[]): void {
    const { pageBytes } = this.#calls;
    for (const { from, bytes } of pieces) {
      const { mapped, first } = this.#windowAt(from);
      if (mapped === null) continue;
      const page = Math.floor((from - first) / pageBytes) * pageBytes;
      const range = { address: mapped.address + BigInt(page), bytes: from - first + bytes - page };
      this.#calls.advise(range, Advice.WillNeed);
    }
  }

  #windowAt(from: number): Window {
    return this.#windows[Math.floor(from / WINDOW_BYTES)] ?? NOWHERE;
  }

  /** True when the file is at least this long: reading beyond its end would kill the process. */
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

/** Length of a window for a file that has this many bytes from its start on. */
function windowBytes(bytesFromStart: number): number {
  const bytes = ROOM * Math.ceil(bytesFromStart / WINDOW_BYTES_MIN) * WINDOW_BYTES_MIN;
  return Math.min(WINDOW_BYTES_MAX, bytes);
}
