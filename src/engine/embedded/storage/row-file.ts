// The dense vectors of an index: a flat file of float32 rows. A row is written and synced before the LMDB commit that
// references it, and reused only when no commit and no reader references it, so that no torn row is ever read.
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type FilePiece, FileWindows, WINDOW_READ_BYTES_MAX } from '../../../platform/native/file-windows.ts';
import { type SystemCalls, systemCalls } from '../../../platform/native/system-calls.ts';

/** What disks, and the file systems on them, say of content that they cannot read. */
const READ_ERRORS: ReadonlySet<unknown> = new Set(['EIO', 'EUCLEAN', 'EBADMSG', 'ENODATA', 'EREMOTEIO']);

/** A row that the file lacks, or that the disk cannot read. The message names it. */
export class RowUnreadable extends Error {
  constructor(row: number, reason: string) {
    super(`row ${row} cannot be read: ${reason}`);
    this.name = 'RowUnreadable';
  }
}

export class RowFile {
  readonly #fd: number;
  readonly #rowBytes: number;
  /** Null where all reads are system calls. */
  readonly #windows: FileWindows | null;

  private constructor(fd: number, dimension: number, calls: SystemCalls | null) {
    this.#fd = fd;
    this.#rowBytes = dimension * Float32Array.BYTES_PER_ELEMENT;
    this.#windows = calls === null ? null : new FileWindows(fd, calls);
  }

  static openForWriting(path: string, dimension: number): RowFile {
    return new RowFile(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600), dimension, null);
  }

  /** Opens the file for many reads of single rows; without `calls`, each is a system call. */
  static openForReading(path: string, dimension: number, calls = systemCalls()): RowFile {
    return new RowFile(openSync(path, constants.O_RDONLY), dimension, calls);
  }

  get bytes(): number {
    return fstatSync(this.#fd).size;
  }

  /** Fills `into` with `count` consecutive rows from `firstRow` on. @throws RowUnreadable */
  read(firstRow: number, count: number, into: Uint8Array): void {
    this.#read([this.#run(firstRow, count, 0)], into);
  }

  /** Fills `into` with these rows, in their order. @throws RowUnreadable */
  readRows(rows: readonly number[], into: Uint8Array): void {
    const runs: FilePiece[] = [];
    for (let first = 0; first < rows.length; ) {
      const firstRow = rows[first] ?? 0;
      let count = 1;
      while (rows[first + count] === firstRow + count) count++;
      runs.push(this.#run(firstRow, count, first));
      first += count;
    }
    this.#read(runs, into);
  }

  /** @param index index of its first row among those that are read */
  #run(firstRow: number, count: number, index: number): FilePiece {
    const rowBytes = this.#rowBytes;
    return { from: firstRow * rowBytes, bytes: count * rowBytes, at: index * rowBytes };
  }

  #read(runs: readonly FilePiece[], into: Uint8Array): void {
    // Nearly always all of them are.
    const short = runs.every(isShort) ? runs : runs.filter(isShort);
    const areRead = short.length > 0 && this.#windows?.read(short, into) === true;
    if (areRead && short === runs) return;
    for (const run of runs) if (!(areRead && isShort(run))) this.#readByCalls(run, into);
  }

  #readByCalls({ from, bytes, at }: FilePiece, into: Uint8Array): void {
    for (let done = 0; done < bytes; ) {
      const got = this.#readSome({ from: from + done, bytes: bytes - done, at: at + done }, into);
      if (got === 0) throw this.#unreadable(from + done, 'the file ends before it');
      done += got;
    }
  }

  #readSome({ from, bytes, at }: FilePiece, into: Uint8Array): number {
    try {
      return readSync(this.#fd, into, at, bytes, from);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      throw READ_ERRORS.has(code) ? this.#unreadable(from, `the disk reports ${code}`) : error;
    }
  }

  #unreadable(at: number, reason: string): RowUnreadable {
    return new RowUnreadable(Math.floor(at / this.#rowBytes), reason);
  }

  /** One row as floats. @throws RowUnreadable */
  readRow(row: number): Float32Array {
    const values = new Float32Array(this.#rowBytes / Float32Array.BYTES_PER_ELEMENT);
    this.read(row, 1, new Uint8Array(values.buffer));
    return values;
  }

  /** Writes the vectors to their rows, adjacent ones in one call. Durable only after `sync`. */
  write(rows: readonly number[], vectors: readonly Float32Array[]): void {
    for (let first = 0; first < rows.length; ) {
      let end = first + 1;
      while (end < rows.length && rows[end] === (rows[end - 1] ?? 0) + 1) end++;
      this.#writeVectors(rows[first] ?? 0, vectors.slice(first, end));
      first = end;
    }
  }

  #writeVectors(firstRow: number, vectors: readonly Float32Array[]): void {
    const bytes = Buffer.allocUnsafe(vectors.length * this.#rowBytes);
    vectors.forEach((vector, i) => {
      bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), i * this.#rowBytes);
    });
    this.writeRun(firstRow, bytes);
  }

  /** Writes whole rows in the format of the file, from `firstRow` on. Durable only after `sync`. */
  writeRun(firstRow: number, bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, firstRow * this.#rowBytes + done);
    }
  }

  sync(): void {
    fdatasyncSync(this.#fd);
  }

  close(): void {
    this.#windows?.close();
    closeSync(this.#fd);
  }
}

function isShort({ bytes }: FilePiece): boolean {
  return bytes <= WINDOW_READ_BYTES_MAX;
}
