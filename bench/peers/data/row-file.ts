// A file of float rows, read in pieces, so that no process has to hold a whole data set.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const FLOAT_BYTES = 4;

export class RowFile {
  readonly path: string;
  readonly dimension: number;
  readonly rows: number;
  readonly #file: number;

  constructor(path: string, dimension: number) {
    this.path = path;
    this.dimension = dimension;
    this.#file = openSync(path, 'r');
    this.rows = fstatSync(this.#file).size / FLOAT_BYTES / dimension;
  }

  /** Rows `from` to `until` (exclusive), one after the other in a new array. */
  read(from: number, until: number): Float32Array<ArrayBuffer> {
    const values = new Float32Array((Math.min(until, this.rows) - from) * this.dimension);
    const bytes = new Uint8Array(values.buffer);
    const start = from * this.dimension * FLOAT_BYTES;
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (count === 0) throw new Error(`${this.path} is too short`);
      done += count;
    }
    return values;
  }

  row(at: number): Float32Array {
    return this.read(at, at + 1);
  }

  /** Pieces of up to `rowsMax` rows, in order. */
  *pieces(rowsMax: number): Generator<{ readonly first: number; readonly rows: readonly Float32Array[] }> {
    for (let first = 0; first < this.rows; first += rowsMax) {
      const values = this.read(first, first + rowsMax);
      const count = values.length / this.dimension;
      const rows = Array.from({ length: count }, (_, at) =>
        values.subarray(at * this.dimension, (at + 1) * this.dimension),
      );
      yield { first, rows };
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}
