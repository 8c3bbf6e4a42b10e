// Files that are damaged or meant to harm: refused or read in part, with bounded memory, never a crash.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { StorableRecord } from '../../domain/records/record.ts';
import { fileOf, readAll, SHAPES } from '../testing/record-files.ts';
import { bytesInMemory, type FileBytes, FileProblem } from './file-bytes.ts';

const DENSE = SHAPES.dense;

function someRecords(count: number): readonly StorableRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `record-${i}`,
    values: Float32Array.of(1, i, 2, 3, 4),
    sparse: null,
    metadataJson: `{"n":${i}}`,
  }));
}

describe('a damaged Parquet file', () => {
  it('is refused or read for what it is, wherever bytes are flipped or the end is cut off', async () => {
    const whole = await fileOf('parquet', someRecords(200));
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: whole.byteLength - 1 }),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, change, isCut) => {
          const bytes = Uint8Array.from(isCut ? whole.subarray(0, at) : whole);
          if (!isCut) bytes[at] = (bytes[at] ?? 0) ^ change;
          try {
            await readAll(bytes, 'parquet', DENSE);
          } catch (error) {
            assert.ok(error instanceof FileProblem, String(error));
          }
        },
      ),
      { seed: 3, numRuns: 300 },
    );
  });

  it('never gives wrong values for flipped bytes of its pages: their checksums tell', async () => {
    const whole = await fileOf('parquet', someRecords(50));
    const at = Buffer.from(whole).indexOf(Buffer.from(Float32Array.of(1, 7, 2, 3, 4).buffer));
    const bytes = Uint8Array.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await assert.rejects(readAll(bytes, 'parquet', DENSE), /checksum of a page/);
  });
});

describe('a Parquet file that unpacks to more than it should', () => {
  /** One row group of one page for the column id, with whatever header. */
  function bomb(facts: {
    unpacked: number;
    values: number;
    content: Uint8Array;
    footerUnpacked: bigint;
    rows: bigint;
  }): Uint8Array {
    const writer = new ByteWriter();
    const schema = [
      { name: 'schema', num_children: 1 },
      { name: 'id', repetition_type: 'REQUIRED' as const, type: 'BYTE_ARRAY' as const },
    ];
    const file = new ParquetWriter({ writer, schema });
    const start = writer.offset;
    writePageHeader(writer, {
      type: 'DATA_PAGE',
      uncompressed_page_size: facts.unpacked,
      compressed_page_size: facts.content.byteLength,
      data_page_header: {
        num_values: facts.values,
        encoding: 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    writer.appendBytes(facts.content);
    const meta_data = {
      type: 'BYTE_ARRAY' as const,
      encodings: ['PLAIN' as const],
      path_in_schema: ['id'],
      codec: 'ZSTD' as const,
      num_values: facts.rows,
      total_uncompressed_size: facts.footerUnpacked,
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(start),
    };
    file.row_groups.push({
      columns: [{ file_offset: BigInt(start), meta_data }],
      num_rows: facts.rows,
      total_byte_size: 1n,
    });
    file.num_rows = facts.rows;
    void file.finish();
    return writer.getBytes();
  }

  const content = zstdCompressSync(new Uint8Array(64 * 1024 * 1024));
  const usual = { unpacked: 64 * 1024 * 1024, values: 1, content, footerUnpacked: 70_000_000n, rows: 1n };
  const cases = {
    'a page of over 128 MiB': [{ unpacked: 2 ** 31 - 1 }, /unpacked; at most 134217728/],
    'a page that is larger than its header says': [{ unpacked: 1_000 }, /cannot be decompressed/],
    'more than a hundred times its size by its footer': [
      { footerUnpacked: 10n ** 12n },
      /over 100 times its own size/,
    ],
    'more than its footer says': [{ footerUnpacked: 1_000n }, /more than its footer says/],
    'more values than a page may have': [{ values: 2 ** 30 }, /values; at most/],
    'more rows than bytes can be': [{ rows: 10n ** 15n }, /rows in \d+ bytes: refused/],
    'negative sizes': [{ unpacked: -5 }, /bytes unpacked/],
  } as const;
  for (const [what, [facts, reason]] of Object.entries(cases)) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(readAll(bomb({ ...usual, ...facts }), 'parquet', DENSE), reason);
    });
  }
});

describe('a row', () => {
  it('of another dimension is refused alone, be it number 1,000,001', async () => {
    // Five million bytes of one-dimensional rows stand for a large file: only the last is wrong.
    const line = '{"id":"a","values":[1]}\n';
    const last = Buffer.from('{"id":"b","values":[1,2]}\n');
    const rows = 1_000_000;
    const file: FileBytes = {
      size: line.length * rows + last.byteLength,
      read: async (start, end) => {
        const cut = Math.min(end, line.length * rows);
        const first = Math.floor(start / line.length);
        const lines = Buffer.from(line.repeat(Math.max(0, Math.ceil(cut / line.length) - first)));
        const head = lines.subarray(
          start - first * line.length,
          start - first * line.length + Math.max(0, cut - start),
        );
        return Buffer.concat([
          head,
          last.subarray(Math.max(0, start - line.length * rows), Math.max(0, end - line.length * rows)),
        ]);
      },
    };
    const shape = { ...DENSE, dimension: 1 };
    const batches = await readAll(file, 'jsonl', shape, {
      row: rows - 500,
      byte: (rows - 500) * line.length,
    });
    assert.deepEqual(
      batches.flatMap(({ refused }) => refused),
      [
        {
          row: 1_000_001,
          id: null,
          reason: 'Vector dimension 2 does not match the dimension of the index 1',
        },
      ],
    );
    assert.equal(batches.flatMap(({ records }) => records).length, 500);
  });

  it('that is too long a line is passed over, and the next is read', async () => {
    const long = `{"id":"a","values":[${'1,'.repeat(2_000_000)}1]}`;
    const bytes = Buffer.from(`${long}\n{"id":"b","values":[1,2,3,4,5]}`);
    const [batch] = await readAll(bytes, 'jsonl', DENSE);
    assert.match(batch?.refused[0]?.reason ?? '', /The line is longer than/);
    assert.deepEqual(
      batch?.records.map(({ id }) => id),
      ['b'],
    );
  });

  it('is refused by the rules that upserts go by', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{"id":"","values":[1,2,3,4,5]}', /Vector ID must be 1 to 512/],
      ['{"values":[1,2,3,4,5]}', /Vector ID must be a string/],
      ['{"id":"a","values":[1,2,3,4,1e39]}', /finite 32-bit floats/],
      [
        '{"id":"a","values":[1,2,3,4,5],"sparse_values":{"indices":[1],"values":[1]}}',
        /does not support sparse/,
      ],
      ['{"id":"a","values":[1,2,3,4,5],"metadata":{"$x":1}}', /must not start with/],
      ['{"id":"a","values":[1,2,3,4,5],"metadata":"{no"}', /Metadata is not valid JSON/],
      ['{"id":"a","values":[1,2,3,4,5],"metadata":{"x":"\\ud800"}}', /unpaired surrogate/],
      [`{"id":"a","values":[1,2,3,4,5],"metadata":{"x":"${'y'.repeat(41_000)}"}}`, /Metadata size is/],
      ['[]', /must be a JSON object/],
      ['{"id":"a","values":[1,2,3,4,5],"extra":0}', /Unknown field 'extra'/],
    ];
    const [batch] = await readAll(Buffer.from(cases.map(([line]) => `${line}\n`).join('')), 'jsonl', DENSE);
    assert.equal(batch?.records.length, 0);
    for (const [at, [line, reason]] of cases.entries())
      assert.match(batch?.refused[at]?.reason ?? '', reason, line);
  });

  it('of bytes that are no UTF-8 ends the file', async () => {
    await assert.rejects(
      readAll(bytesInMemory(Uint8Array.of(0xff, 0xfe, 0x0a)), 'jsonl', DENSE),
      FileProblem,
    );
  });
});
