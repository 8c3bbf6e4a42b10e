// A file of float rows, read in pieces, so that no process has to hold a whole data set. One that ends in .f16 holds unit
// vectors in half precision, for sets that would not fit on the disk.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Ending of files of half precision. */
export const HALF_ENDING = '.f16';

export class RowFile {
  readonly path: string;
  readonly dimension: number;
  readonly rows: number;
  readonly #file: number;
  readonly #isHalf: boolean;
  readonly #rowBytes: number;

  constructor(path: string, dimension: number) {
    this.path = path;
    this.dimension = dimension;
    this.#isHalf = path.endsWith(HALF_ENDING);
    this.#rowBytes = dimension * floatBytes(path);
    this.#file = openSync(path, 'r');
    this.rows = fstatSync(this.#file).size / this.#rowBytes;
  }

  /** Rows `from` to `until` (exclusive), one after the other in a new array. */
  read(from: number, until: number): Float32Array<ArrayBuffer> {
    const bytes = new Uint8Array((Math.min(until, this.rows) - from) * this.#rowBytes);
    const start = from * this.#rowBytes;
    for (let done = 0; done < bytes.length; ) {
      const count = readSync(this.#file, bytes, done, bytes.length - done, start + done);
      if (count === 0) throw new Error(`${this.path} is too short`);
      done += count;
    }
    return this.#isHalf
      ? unitRows(new Float32Array(new Float16Array(bytes.buffer)), this.dimension)
      : new Float32Array(bytes.buffer);
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

/** Bytes of a component in a file of this name. */
function floatBytes(path: string): number {
  return path.endsWith(HALF_ENDING) ? Float16Array.BYTES_PER_ELEMENT : Float32Array.BYTES_PER_ELEMENT;
}

/** Makes up for what rounding took from the lengths. */
function unitRows(values: Float32Array<ArrayBuffer>, dimension: number): Float32Array<ArrayBuffer> {
  for (let start = 0; start < values.length; start += dimension) {
    const row = values.subarray(start, start + dimension);
    let squares = 0;
    for (let at = 0; at < dimension; at++) squares += (row[at] ?? 0) ** 2;
    const factor = 1 / Math.sqrt(squares);
    for (let at = 0; at < dimension; at++) row[at] = (row[at] ?? 0) * factor;
  }
  return values;
}
