// Short reads from anywhere in a file through mappings of it, a quarter of the time of a system call; what it does not
// read is left to such calls (docs/decisions/039).
import { fstatSync } from 'node:fs';
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
/** A read that took so long came from the disk (or the thread was interrupted). */
const DISK_MS = 0.02;
/**
 * After one from the disk so many are left to calls, which fetch a row of two pages at once and not one after the other;
 * and after the system has refused a mapping.
 */
const READS_LEFT = 64;

let windowsOpen = 0;

export class FileWindows {
  readonly #fd: number;
  readonly #calls: SystemCalls;
  readonly #clock: () => number;
  readonly #windows = new Map<number, MappedBytes>();
  /** The file has at least so many. */
  #bytes = 0;
  #readsLeft = 0;
  #isClosed = false;

  /** The file is to stay open as long as this, and never to become shorter. The clock tells milliseconds. */
  constructor(fd: number, calls: SystemCalls, clock = () => performance.now()) {
    this.#fd = fd;
    this.#calls = calls;
    this.#clock = clock;
  }

  /** Fills `into`, WINDOW_READ_BYTES_MAX at most, from byte `from` of the file on. @returns false when it is to be read otherwise */
  read(from: number, into: Uint8Array): boolean {
    if (this.#isClosed || !this.#has(from + into.length)) return false;
    if (this.#readsLeft > 0) {
      this.#readsLeft--;
      return false;
    }
    const number = Math.floor(from / WINDOW_BYTES);
    const start = from - number * WINDOW_BYTES;
    const window = this.#window(number, start + into.length);
    if (window === null) {
      this.#readsLeft = READS_LEFT;
      return false;
    }
    const began = this.#clock();
    into.set(new Uint8Array(window.buffer, start, into.length));
    if (this.#clock() - began > DISK_MS) this.#readsLeft = READS_LEFT;
    return true;
  }

  close(): void {
    this.#isClosed = true;
    for (const number of [...this.#windows.keys()]) this.#close(number);
  }

  /** Whether the file goes as far as this: one byte beyond, and the process would die. */
  #has(end: number): boolean {
    if (end > this.#bytes) this.#bytes = fstatSync(this.#fd).size;
    return end <= this.#bytes;
  }

  /** A window that goes at least as far as `end`. */
  #window(number: number, end: number): MappedBytes | null {
    const known = this.#windows.get(number);
    if (known !== undefined && known.bytes >= end) return known;
    this.#close(number);
    if (windowsOpen >= WINDOWS_MAX) return null;
    const first = number * WINDOW_BYTES;
    const window = this.#calls.mapFile(this.#fd, first, windowBytes(this.#bytes - first));
    if (window === null) return null;
    this.#calls.advise(window, Advice.Random);
    this.#windows.set(number, window);
    windowsOpen++;
    return window;
  }

  #close(number: number): void {
    const window = this.#windows.get(number);
    if (window === undefined) return;
    window.unmap();
    this.#windows.delete(number);
    windowsOpen--;
  }
}

/** Length of a window from whose start on the file has so many bytes. */
function windowBytes(bytesFromStart: number): number {
  const bytes = ROOM * Math.ceil(bytesFromStart / WINDOW_BYTES_MIN) * WINDOW_BYTES_MIN;
  return Math.min(WINDOW_BYTES_MAX, bytes);
}
