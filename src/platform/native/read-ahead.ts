// Asks the system to read a file ahead of calls that block: the disk works while pages are verified, many at a time.
import { Advice, type SystemCalls } from './system-calls.ts';

/** How far ahead, and how much is asked for at a time: a multiple of every page size. */
const AHEAD_BYTES = 33_554_432;
const STEP_BYTES = 8_388_608;

export class ReadAhead {
  readonly #fd: number;
  readonly #bytes: number;
  readonly #calls: SystemCalls | null;
  /** Where this pass has come to, and up to where it has asked. */
  #at = 0;
  #until = 0;

  /** @param bytes size of the file. @param calls null for nothing to be done */
  constructor(fd: number, bytes: number, calls: SystemCalls | null) {
    this.#fd = fd;
    this.#bytes = bytes;
    this.#calls = calls;
  }

  /** Call before the bytes at `at` are read, in rising order; a lower one begins another pass. */
  reach(at: number): void {
    const calls = this.#calls;
    // What is smaller is read by a few calls.
    if (calls === null || this.#bytes <= AHEAD_BYTES) return;
    if (at < this.#at || at > this.#until) this.#until = Math.floor(at / STEP_BYTES) * STEP_BYTES;
    this.#at = at;
    const end = Math.min(this.#bytes, at + AHEAD_BYTES);
    while (this.#until < end && end - this.#until >= Math.min(STEP_BYTES, this.#bytes - this.#until)) {
      const bytes = Math.min(STEP_BYTES, this.#bytes - this.#until);
      const mapped = calls.mapFile(this.#fd, this.#until, bytes);
      if (mapped !== null) {
        calls.advise(mapped, Advice.WillNeed);
        mapped.unmap();
      }
      this.#until += bytes;
    }
  }
}
