// Short reads from anywhere in a file through mappings of it, a quarter of the time of a system call; what it does not
// read is left to such calls (docs/decisions/015-native-calls.md).
import { fstatSync } from 'node:fs';
// The global of this name is looked up anew each time.
import { performance } from 'node:perf_hooks';
import { Advice, type MappedBytes, type SystemCalls } from './system-calls.ts';

/** Longer reads are mostly copying either way, and from the disk one call brings in all their pages at once. */
export const WINDOW_READ_BYTES_MAX = 16_384;
/** A window begins at each multiple of this, and goes on so far into the next that no read lies in two. */
const WINDOW_BYTES = 1_073_741_824;
const WINDOW_BYTES_MAX = WINDOW_BYTES + WINDOW_READ_BYTES_MAX;
/** The shortest window; a multiple of every page size. */
const WINDOW_BYTES_MIN = 1_048_576;
/** Room for a growing file, so that it is mapped anew rarely. Addresses cost nothing. */
const ROOM = 2;
/** Of a thread's files together: the system allows a process some 65,000 mappings. */
const WINDOWS_MAX = 1_024;
/** A read that took so long, and as much for each of its pieces, came from the disk (or the thread was interrupted). */
const DISK_MS = 0.02;
const DISK_PIECE_MS = 0.002;
/**
 * After one from the disk so many pieces are left to calls, which fetch a row of two pages at once and not one after the other;
 * and after the system has refused a mapping.
 */
const PIECES_LEFT = 64;

let windowsOpen = 0;

/** Bytes of a file, WINDOW_READ_BYTES_MAX at most, and where they go. */
export interface FilePiece {
  readonly from: number;
  readonly bytes: number;
  readonly at: number;
}

interface Window {
  /** Where in the file it begins. */
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
  /** The file has at least so many. */
  #bytes = 0;
  #piecesLeft = 0;
  /** Keeps bytes that are looked at from being left out as of no use. */
  #touched = 0;
  #isClosed = false;

  /** The file is to stay open as long as this, and never to become shorter. The clock tells milliseconds. */
  constructor(fd: number, calls: SystemCalls, clock = () => performance.now()) {
    this.#fd = fd;
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Puts the pieces into `into`, each at its place. @returns false when all of them are to be read otherwise */
  read(pieces: readonly FilePiece[], into: Uint8Array): boolean {
    if (this.#isClosed || !this.#hasWindows(pieces)) return false;
    const began = this.#clock();
    // The first bytes of all, then the rest: memory is waited for once, and not once for each.
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

  /** Makes sure of windows for all of them, before any is looked through: a window that is made anew ends the one before. */
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

  /** Whether the file goes as far as this: one byte beyond, and the process would die. */
  #has(end: number): boolean {
    if (end > this.#bytes) this.#bytes = fstatSync(this.#fd).size;
    return end <= this.#bytes;
  }

  /** Whether there is a window that goes at least as far as the piece, made if need be. */
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

/** Length of a window from whose start on the file has so many bytes. */
function windowBytes(bytesFromStart: number): number {
  const bytes = ROOM * Math.ceil(bytesFromStart / WINDOW_BYTES_MIN) * WINDOW_BYTES_MIN;
  return Math.min(WINDOW_BYTES_MAX, bytes);
}
