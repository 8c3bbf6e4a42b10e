// Reads rows of the row file one after the other, several with each system call.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const WINDOW_BYTES = 256 * 1024;

export class RowWindow {
  readonly #fd: number;
  readonly #rowBytes: number;
  readonly #window: Buffer;
  #first = 0;
  #rows = 0;
  /** Bytes read so far. */
  bytes = 0;

  /** @throws ENOENT */
  constructor(path: string, dimension: number) {
    this.#fd = openSync(path, 'r');
    this.#rowBytes = dimension * Float32Array.BYTES_PER_ELEMENT;
    this.#window = Buffer.allocUnsafe(
      Math.max(1, Math.floor(WINDOW_BYTES / this.#rowBytes)) * this.#rowBytes,
    );
  }

  /** Length of the file. */
  get size(): number {
    return fstatSync(this.#fd).size;
  }

  /** A view of a row, valid until the next call; null where the file ends, or the disk cannot read it. */
  row(number: number): Buffer | null {
    if (number < this.#first || number >= this.#first + this.#rows) this.#fill(number);
    if (number >= this.#first + this.#rows) return null;
    const at = (number - this.#first) * this.#rowBytes;
    return this.#window.subarray(at, at + this.#rowBytes);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #fill(first: number): void {
    this.#first = first;
    this.#rows = 0;
    let done = 0;
    while (done < this.#window.length) {
      const got = this.#readAt(done, first * this.#rowBytes + done);
      if (got === 0) break;
      done += got;
    }
    this.bytes += done;
    this.#rows = Math.floor(done / this.#rowBytes);
  }

  /** A sector that cannot be read ends the window; the rows before it are read again on their own. */
  #readAt(at: number, position: number): number {
    try {
      return readSync(this.#fd, this.#window, at, this.#window.length - at, position);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EIO') throw error;
    }
    try {
      return at === 0 ? readSync(this.#fd, this.#window, 0, this.#rowBytes, position) : 0;
    } catch {
      return 0;
    }
  }
}
