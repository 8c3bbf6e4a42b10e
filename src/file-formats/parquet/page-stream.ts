// Streams the pages of one column chunk: only a window of the chunk and one page are in memory, however large the row
// group is.
import { crc32 } from 'node:zlib';
import type { ColumnMetaData } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import type { PageHeader } from 'hyparquet/src/types.js';
import { type FileBytes, FileProblem } from '../file-bytes.ts';
import { asProblem } from './footer.ts';

const MEBIBYTE = 1024 * 1024;
/** Some writers produce pages of 100 MB. */
export const PAGE_BYTES_MAX = 128 * MEBIBYTE;
/** Bound on the values of a page, nulls included. */
const PAGE_VALUES_MAX = 32 * MEBIBYTE;
/** The statistics in a header have at most two values of the page. */
const HEADER_BYTES_MAX = MEBIBYTE;
/** Bytes read at a time, of a file with few columns and with many. */
const WINDOW_BYTES = 4 * MEBIBYTE;
const WINDOW_BYTES_MIN = 64 * 1024;
/** Of all columns together. */
const WINDOWS_BYTES = 64 * MEBIBYTE;
/** Footers state the unpacked size of a chunk, some imprecisely; the bound of a file depends on it. */
const UNPACKED_SLACK_RATIO = 2;

export interface PackedPage {
  readonly header: PageHeader;
  /** A view of the window, valid until the next page is requested. */
  readonly bytes: Uint8Array;
}

export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** The unpacked size of its pages according to the footer. */
  readonly unpackedBytes: number;
}

/** The range of a column chunk. @throws FileProblem if it is outside the file */
export function chunkOf(column: ColumnMetaData, file: FileBytes): Chunk {
  const data = Number(column.data_page_offset);
  const dictionary = Number(column.dictionary_page_offset ?? 0n);
  // Writers without a dictionary write 0.
  const start = dictionary > 0 ? Math.min(dictionary, data) : data;
  const end = start + Number(column.total_compressed_size);
  if (!(start >= 0 && start <= end && end <= file.size)) {
    throw new FileProblem('its footer has offsets outside the file');
  }
  return { start, end, unpackedBytes: Number(column.total_uncompressed_size) };
}

/** How much each of several columns reads at a time. */
export function windowBytesFor(columns: number): number {
  return Math.max(WINDOW_BYTES_MIN, Math.min(WINDOW_BYTES, Math.floor(WINDOWS_BYTES / columns)));
}

export class PageStream {
  readonly #file: FileBytes;
  readonly #windowBytes: number;
  readonly #end: number;
  /** The unpacked bytes that its pages may still have. */
  #unpackedLeft: number;
  #window: Uint8Array = new Uint8Array(0);
  /** The offset of the window in the file. */
  #windowStart: number;
  #at: number;

  constructor(file: FileBytes, { start, end, unpackedBytes }: Chunk, windowBytes: number) {
    this.#file = file;
    this.#windowBytes = windowBytes;
    this.#end = end;
    this.#unpackedLeft = unpackedBytes * UNPACKED_SLACK_RATIO + MEBIBYTE;
    this.#windowStart = start;
    this.#at = start;
  }

  /** The next page; null after the last. @throws FileProblem */
  async next(): Promise<PackedPage | null> {
    if (this.#at >= this.#end) return null;
    const header = await this.#header();
    const bytesTotal = header.compressed_page_size;
    if (!(bytesTotal >= 0 && bytesTotal <= PAGE_BYTES_MAX)) {
      throw new FileProblem(`a page has ${bytesTotal} bytes; at most ${PAGE_BYTES_MAX} are read`);
    }
    const unpacked = header.uncompressed_page_size;
    if (!(unpacked >= 0 && unpacked <= PAGE_BYTES_MAX)) {
      throw new FileProblem(`a page has ${unpacked} bytes unpacked; at most ${PAGE_BYTES_MAX} are read`);
    }
    const values = (header.data_page_header ?? header.data_page_header_v2 ?? header.dictionary_page_header)
      ?.num_values;
    if (values !== undefined && !(values >= 0 && values <= PAGE_VALUES_MAX)) {
      throw new FileProblem(`a page has ${values} values; at most ${PAGE_VALUES_MAX} are read`);
    }
    this.#unpackedLeft -= unpacked;
    if (this.#unpackedLeft < 0) throw new FileProblem('a column unpacks to more than its footer says');
    await this.#have(bytesTotal);
    const bytes = this.#window.subarray(
      this.#at - this.#windowStart,
      this.#at - this.#windowStart + bytesTotal,
    );
    this.#at += bytesTotal;
    if (header.crc !== undefined && crc32(bytes) !== header.crc >>> 0) {
      throw new FileProblem('the checksum of a page does not match its bytes');
    }
    return { header, bytes };
  }

  async #header(): Promise<PageHeader> {
    for (let bytes = 4_096; ; bytes *= 8) {
      const left = this.#end - this.#at;
      const headerBytes = Math.min(bytes, left);
      await this.#have(headerBytes);
      const from = this.#at - this.#windowStart;
      // A separate buffer, because the library's readers stop only at the end of a buffer.
      const copy = Uint8Array.from(this.#window.subarray(from, from + headerBytes));
      const reader = { view: new DataView(copy.buffer), offset: 0 };
      try {
        const header = parquetHeader(reader);
        this.#at += reader.offset;
        return header;
      } catch (error) {
        // The header may just be longer than what was read of it.
        if (headerBytes === left || headerBytes >= HEADER_BYTES_MAX) {
          throw asProblem('the header of a page is damaged', () => {
            throw error;
          });
        }
      }
    }
  }

  /** Reads until the next bytes are in the window. */
  async #have(bytes: number): Promise<void> {
    const needed = this.#at + bytes;
    if (needed > this.#end) throw new FileProblem('a column ends in the middle of a page');
    if (needed <= this.#windowStart + this.#window.byteLength) return;
    const end = Math.min(this.#end, Math.max(needed, this.#at + this.#windowBytes));
    this.#window = await this.#file.read(this.#at, end);
    this.#windowStart = this.#at;
  }
}
