// Guarantees for corrupt Parquet files of another writer, with dictionaries and any compression, corrupted part by part.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { type ColumnMetaData, type CompressionCodec, parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { effort } from '../engine/embedded/testing/effort.ts';
import { FileProblem } from './file-bytes.ts';
import { readAll, SHAPES } from './testing/record-files.ts';

const ROWS = 300;
const CODECS: Partial<Record<CompressionCodec, (plain: Uint8Array) => Uint8Array>> = {
  UNCOMPRESSED: (plain) => plain,
  GZIP: (plain) => gzipSync(plain),
  BROTLI: (plain) => brotliCompressSync(plain),
  ZSTD: (plain) => zstdCompressSync(plain),
};

/** Ids, and metadata of three texts in a dictionary. */
function fileOf(codec: CompressionCodec): Uint8Array {
  const rows = Array.from({ length: ROWS }, (_, i) => i);
  const schema = [
    { name: 'schema', num_children: 3 },
    {
      name: 'id',
      repetition_type: 'REQUIRED' as const,
      type: 'BYTE_ARRAY' as const,
      converted_type: 'UTF8' as const,
    },
    {
      name: 'values',
      repetition_type: 'OPTIONAL' as const,
      num_children: 1,
      converted_type: 'LIST' as const,
    },
    { name: 'list', repetition_type: 'REPEATED' as const, num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL' as const, type: 'FLOAT' as const },
    {
      name: 'metadata',
      repetition_type: 'OPTIONAL' as const,
      type: 'BYTE_ARRAY' as const,
      converted_type: 'UTF8' as const,
    },
  ];
  const columnData = [
    { name: 'id', data: rows.map((i) => `r${i}`) },
    { name: 'values', data: rows.map((i) => [1, i, 2, 3, 4]) },
    { name: 'metadata', data: rows.map((i) => JSON.stringify({ part: `part ${i % 3}` })) },
  ];
  const compressors = CODECS as Record<string, (plain: Uint8Array) => Uint8Array>;
  return new Uint8Array(parquetWriteBuffer({ schema, columnData, codec, compressors }));
}

interface Parts {
  readonly bytes: Uint8Array;
  /** Of the column metadata. */
  readonly column: ColumnMetaData;
  readonly footerStart: number;
}

function partsOf(codec: CompressionCodec): Parts {
  const bytes = fileOf(codec);
  const metadata = parquetMetadata(bytes.buffer as ArrayBuffer);
  const column = metadata.row_groups[0]?.columns.at(-1)?.meta_data;
  assert.ok(column?.dictionary_page_offset !== undefined, 'the file has a dictionary');
  return { bytes, column, footerStart: bytes.byteLength - 8 - metadata.metadata_length };
}

/** The file with a range of bytes replaced. */
function changed(bytes: Uint8Array, from: number, to: number, byte: number): Uint8Array {
  return Uint8Array.from(bytes).fill(byte, from, to);
}

async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const batches = await readAll(bytes, 'parquet', SHAPES.dense);
    const count = (key: 'records' | 'refused') => batches.reduce((sum, batch) => sum + batch[key].length, 0);
    return `${count('records')} read, ${count('refused')} refused`;
  } catch (error) {
    assert.ok(error instanceof FileProblem, String(error));
    return error.message;
  }
}

for (const codec of ['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', 'ZSTD'] as const) {
  describe(`a Parquet file with a dictionary, ${codec}`, () => {
    const parts = partsOf(codec);
    const { bytes, column, footerStart } = parts;
    const dictionary = Number(column.dictionary_page_offset);
    const data = Number(column.data_page_offset);
    const { length } = bytes;

    it('is read when it is intact', async () => {
      assert.equal(await outcome(bytes), `${ROWS} read, 0 refused`);
    });

    const damages: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ['truncated in its footer', bytes.subarray(0, length - 20), /cut off|footer/],
      ['truncated in its pages', bytes.subarray(0, data + 3), /cut off/],
      ['without its middle', Buffer.concat([bytes.subarray(0, 40), bytes.subarray(dictionary)]), /./],
      ['with a footer of zeros', changed(bytes, footerStart, length - 8, 0), /footer|column|rows/],
      ['with a footer of ones', changed(bytes, footerStart, length - 8, 0xff), /footer/],
      ['with a footer longer than itself', changed(bytes, length - 8, length - 5, 0xff), /footer/],
      [
        'with a dictionary header of zeros',
        changed(bytes, dictionary, dictionary + 12, 0),
        /page|dictionary/,
      ],
      ['with a dictionary header of ones', changed(bytes, dictionary, dictionary + 12, 0xff), /page|damaged/],
      ['with a page header of zeros', changed(bytes, data, data + 12, 0), /page|fewer rows/],
      ['with a page header of ones', changed(bytes, data, data + 12, 0xff), /page|damaged/],
      ['whose dictionary is missing', changed(bytes, dictionary, data, 0), /page|dictionary/],
    ];
    for (const [what, damaged, reason] of damages) {
      it(`is refused ${what}`, async () => assert.match(await outcome(damaged), reason));
    }

    it('is refused or read correctly, wherever its bytes are changed', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.nat({ max: length - 1 }),
          fc.integer({ min: 1, max: 8 }),
          fc.nat({ max: 255 }),
          async (at, count, byte) => void (await outcome(changed(bytes, at, at + count, byte))),
        ),
        { seed: 31, numRuns: effort({ daily: 60, long: 2_000 }) },
      );
    });
  });
}
