// The bytes of a file in windows from any offset on; of a compressed file, the offset among its unpacked bytes.
import { Readable, type TransformOptions } from 'node:stream';
import { createGunzip, type ZlibOptions } from 'node:zlib';
import { type FileBytes, FileProblem } from '../file-bytes.ts';

const WINDOW_BYTES = 1024 * 1024;

/** One window at a time: what waits to be read would be lost with the end of a file that was cut off. */
const UNPACKING: ZlibOptions & TransformOptions = { chunkSize: WINDOW_BYTES, highWaterMark: 1 };

export interface ByteWindows extends AsyncIterable<Uint8Array> {
  /** Share of the stored bytes that have been read, 0 to 1. */
  readonly share: number;
}

/** The bytes of a file as they are. */
export class FileWindows implements ByteWindows {
  readonly #file: FileBytes;
  #at: number;

  constructor(file: FileBytes, start: number) {
    this.#file = file;
    this.#at = start;
  }

  get share(): number {
    return this.#at / Math.max(1, this.#file.size);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const { size } = this.#file;
    while (this.#at < size) {
      const end = Math.min(size, this.#at + WINDOW_BYTES);
      const window = await this.#file.read(this.#at, end);
      this.#at = end;
      yield window;
    }
  }
}

/** The unpacked bytes of a gzip file. To start later, it unpacks from the beginning and skips. */
export class GzipWindows implements ByteWindows {
  readonly #packed: FileWindows;
  readonly #start: number;

  constructor(file: FileBytes, start: number) {
    this.#packed = new FileWindows(file, 0);
    this.#start = start;
  }

  get share(): number {
    return this.#packed.share;
  }

  /** @throws FileProblem if the file is cut off or no gzip file */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const packed = Readable.from(this.#packed, { objectMode: false, highWaterMark: WINDOW_BYTES });
    const unpacked = createGunzip(UNPACKING);
    packed.once('error', (error) => unpacked.destroy(error));
    let skip = this.#start;
    try {
      for await (const window of packed.pipe(unpacked) as AsyncIterable<Uint8Array>) {
        const skipped = Math.min(skip, window.byteLength);
        skip -= skipped;
        if (skipped < window.byteLength) yield window.subarray(skipped);
      }
    } catch (error) {
      if (!isGzipError(error)) throw error;
      throw new FileProblem(`it is not a whole gzip file: ${error.message}`, error);
    } finally {
      packed.destroy();
      unpacked.destroy();
    }
  }
}

function isGzipError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
