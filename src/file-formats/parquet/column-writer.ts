// Writes the pages of one column of a row group: plain values, run-length encoded levels. The library's writer visits
// every number of every list; this one copies the bytes of a record's vector.
import { crc32, zstdCompressSync } from 'node:zlib';
import type { ColumnChunk } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';

const PAGE_BYTES = 1024 * 1024;

export interface ColumnDetails {
  /** The names from the root. */
  readonly path: readonly string[];
  readonly type: 'BYTE_ARRAY' | 'FLOAT' | 'INT64';
  /** Floats of vectors do not compress; ids, metadata and indices do. */
  readonly codec: 'UNCOMPRESSED' | 'ZSTD';
  /** The definition level of a present value. */
  readonly definitionMax: number;
  readonly isList: boolean;
}

export class ColumnWriter {
  readonly #details: ColumnDetails;
  #repetition = new Runs();
  #definition = new Runs();
  #values: Uint8Array[] = [];
  #pageBytes = 0;
  #entries = 0;
  #pages: Uint8Array[] = [];
  #entriesTotal = 0;
  #unpackedBytes = 0;

  constructor(details: ColumnDetails) {
    this.#details = details;
  }

  /** Approximate bytes in memory. */
  get bytes(): number {
    return this.#pageBytes + this.#unpackedBytes;
  }

  /** Adds a row of `count` values in plain encoding. */
  addRow(values: Uint8Array, count: number): void {
    const { definitionMax, isList } = this.#details;
    this.#definition.add(definitionMax, count);
    if (isList) {
      this.#repetition.add(0, 1);
      this.#repetition.add(1, count - 1);
    }
    this.#values.push(values);
    this.#grow(count, values.byteLength);
  }

  /** Adds a row without a value; `level` is its definition level (0: absent at the root). */
  addAbsent(level: number): void {
    this.#definition.add(level, 1);
    if (this.#details.isList) this.#repetition.add(0, 1);
    this.#grow(1, 0);
  }

  /** Returns the bytes of the chunk for `offset` of the file and its footer entry, and resets the writer. */
  finish(offset: number): { readonly parts: readonly Uint8Array[]; readonly chunk: ColumnChunk } {
    if (this.#entries > 0) this.#seal();
    const { path, type, codec } = this.#details;
    const parts = this.#pages;
    const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const chunk: ColumnChunk = {
      file_offset: BigInt(offset),
      meta_data: {
        type,
        encodings: ['RLE', 'PLAIN'],
        path_in_schema: [...path],
        codec,
        num_values: BigInt(this.#entriesTotal),
        total_uncompressed_size: BigInt(this.#unpackedBytes),
        total_compressed_size: BigInt(bytes),
        data_page_offset: BigInt(offset),
      },
    };
    this.#pages = [];
    this.#entriesTotal = 0;
    this.#unpackedBytes = 0;
    return { parts, chunk };
  }

  #grow(entries: number, bytes: number): void {
    this.#entries += entries;
    this.#pageBytes += bytes;
    if (this.#pageBytes >= PAGE_BYTES) this.#seal();
  }

  #seal(): void {
    const { codec, isList, definitionMax } = this.#details;
    const levels = [...(isList ? [this.#repetition] : []), ...(definitionMax > 0 ? [this.#definition] : [])];
    const plain = Buffer.concat([...levels.flatMap((runs) => runs.finish()), ...this.#values]);
    const packed = codec === 'ZSTD' ? zstdCompressSync(plain) : plain;
    const header = new ByteWriter();
    writePageHeader(header, {
      type: 'DATA_PAGE',
      uncompressed_page_size: plain.byteLength,
      compressed_page_size: packed.byteLength,
      crc: crc32(packed) | 0,
      data_page_header: {
        num_values: this.#entries,
        encoding: 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    this.#pages.push(header.getBytes(), packed);
    this.#unpackedBytes += header.offset + plain.byteLength;
    this.#entriesTotal += this.#entries;
    this.#repetition = new Runs();
    this.#definition = new Runs();
    this.#values = [];
    this.#pageBytes = 0;
    this.#entries = 0;
  }
}

/** Run-length encodes levels; a run takes two to four bytes. */
class Runs {
  readonly #writer = new ByteWriter();
  #value = 0;
  #count = 0;

  add(value: number, count: number): void {
    if (count === 0) return;
    if (value !== this.#value) this.#flush();
    this.#value = value;
    this.#count += count;
  }

  /** The length, then the runs. */
  finish(): readonly Uint8Array[] {
    this.#flush();
    const length = Buffer.alloc(4);
    length.writeUInt32LE(this.#writer.offset);
    return [length, this.#writer.getBytes()];
  }

  #flush(): void {
    if (this.#count === 0) return;
    this.#writer.appendVarInt(this.#count << 1);
    this.#writer.appendUint8(this.#value);
    this.#count = 0;
  }
}
