// Guarantees for corrupt and malicious files: refused or read in part, with bounded memory, never a crash.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { constants, gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { ByteWriter, ParquetWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { METADATA_BYTES_MAX } from '../domain/limits.ts';
import type { StorableRecord } from '../domain/records/record.ts';
import { CAPABILITIES } from '../engine/embedded/storage/capabilities.ts';
import { effort } from '../engine/embedded/testing/effort.ts';
import { packedBytes, packRecords } from '../engine/port/packed-records.ts';
import { bytesInMemory, FileProblem } from './file-bytes.ts';
import { FILE_START, readRecords } from './read-records.ts';
import { fileOf, readAll, SHAPES } from './testing/record-files.ts';

const DENSE = SHAPES.dense;

function recordOf(id: string, values: readonly number[]): StorableRecord {
  return { id, values: Float32Array.from(values), sparse: null, metadataJson: null };
}

function someRecords(count: number): readonly StorableRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `record-${i}`,
    values: Float32Array.of(1, i, 2, 3, 4),
    sparse: null,
    metadataJson: `{"n":${i}}`,
  }));
}

describe('a damaged Parquet file', () => {
  it('is refused or read correctly, wherever bits are flipped or the end is cut off', async () => {
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

  it('never yields wrong values for flipped bits in its pages, thanks to their checksums', async () => {
    const whole = await fileOf('parquet', someRecords(50));
    const at = Buffer.from(whole).indexOf(Buffer.from(Float32Array.of(1, 7, 2, 3, 4).buffer));
    const bytes = Uint8Array.from(whole);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    await assert.rejects(readAll(bytes, 'parquet', DENSE), /checksum of a page/);
  });
});

describe('a Parquet bomb', () => {
  /** One row group of one page for the column id, with any header. */
  function bomb(details: {
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
      uncompressed_page_size: details.unpacked,
      compressed_page_size: details.content.byteLength,
      data_page_header: {
        num_values: details.values,
        encoding: 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    });
    writer.appendBytes(details.content);
    const meta_data = {
      type: 'BYTE_ARRAY' as const,
      encodings: ['PLAIN' as const],
      path_in_schema: ['id'],
      codec: 'ZSTD' as const,
      num_values: details.rows,
      total_uncompressed_size: details.footerUnpacked,
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(start),
    };
    file.row_groups.push({
      columns: [{ file_offset: BigInt(start), meta_data }],
      num_rows: details.rows,
      total_byte_size: 1n,
    });
    file.num_rows = details.rows;
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
  for (const [what, [details, reason]] of Object.entries(cases)) {
    it(`is refused: ${what}`, async () => {
      await assert.rejects(readAll(bomb({ ...usual, ...details }), 'parquet', DENSE), reason);
    });
  }
});

describe('a gzip file that was cut off', () => {
  const lines = effort({ daily: 8_000, long: 80_000 });

  it('gives every row before the end, then tells that it was cut off', async () => {
    const hardToPack = (i: number) => createHash('sha512').update(String(i)).digest('hex').repeat(3);
    for (const text of [hardToPack, () => 'x'.repeat(300)]) {
      const line = (_: unknown, i: number) =>
        `{"id":"r${i}","values":[1,2,3,4,5],"metadata":{"text":"${text(i)}"}}\n`;
      const packed = gzipSync(Array.from({ length: lines }, line).join(''));
      for (const share of [0.1, 0.9, 1]) {
        const cut = packed.subarray(0, Math.floor(share * packed.byteLength) - 1);
        const whole = gunzipSync(cut, { finishFlush: constants.Z_SYNC_FLUSH });
        const rows = whole.filter((byte) => byte === 0x0a).length;
        assert.ok(rows > 0);
        assert.deepEqual(await outcomeOf(cut), [rows, 'not a whole gzip file'], `${share}`);
      }
    }
  });

  /** The rows that were read, and why no others were. */
  async function outcomeOf(cut: Uint8Array): Promise<readonly [number, string | undefined]> {
    let rows = 0;
    try {
      const from = { place: FILE_START, shape: DENSE, isGzip: true };
      for await (const { records } of readRecords(bytesInMemory(cut), 'jsonl', from)) {
        rows += records.length;
        // A slow writer: the file ends before its rows are taken.
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return [rows, undefined];
    } catch (error) {
      assert.ok(error instanceof FileProblem, String(error));
      return [rows, /not a whole gzip file/.exec(error.message)?.[0]];
    }
  }
});

describe('a row', () => {
  for (const format of ['parquet', 'jsonl'] as const) {
    const rows = effort({ daily: 2_500, long: 1_000_000 });
    it(`is refused alone for another dimension, as number ${rows + 1} of a ${format} file`, async () => {
      const records = function* () {
        for (let i = 0; i < rows; i++) yield recordOf(`r${i}`, [1]);
        yield recordOf('wrong', [1, 2]);
        yield recordOf('last', [1]);
      };
      const file = bytesInMemory(await fileOf(format, records()));
      let accepted = 0;
      const refused = [];
      for await (const batch of readRecords(file, format, {
        place: FILE_START,
        shape: { ...DENSE, dimension: 1 },
      })) {
        accepted += batch.records.length;
        refused.push(...batch.refused);
      }
      const reason = 'Vector dimension 2 does not match the dimension of the index 1';
      assert.deepEqual(refused, [{ row: rows + 1, id: 'wrong', reason }]);
      assert.equal(accepted, rows + 1);
    });

    it(`shrinks ${format} batches with as much metadata as it may have, so that the engine accepts them`, async () => {
      const metadataJson = JSON.stringify({ text: 'x'.repeat(METADATA_BYTES_MAX - 20) });
      const records = Array.from({ length: 900 }, (_, i) => ({
        ...recordOf(`r${i}`, [1, 2, 3, 4, 5]),
        metadataJson,
      }));
      const batches = await readAll(await fileOf(format, records), format, DENSE);
      const read = batches.flatMap((batch) => batch.records.map(({ id }) => id));
      assert.deepEqual(
        read,
        records.map(({ id }) => id),
      );
      for (const batch of batches) {
        const bytes = packedBytes(packRecords(batch.records, DENSE.dimension));
        assert.ok(bytes <= CAPABILITIES.writeBytesMax / 1.5, `${bytes} bytes`);
      }
      const [first] = batches;
      const rest = await readAll(await fileOf(format, records), format, DENSE, first?.next);
      assert.equal(rest.flatMap((batch) => batch.records).length, 900 - (first?.records.length ?? 0));
    });
  }

  it('costs no more memory when it refers to a huge text in a dictionary than when it contains one', async () => {
    const text = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    const rows = Array.from({ length: 200 }, (_, i) => i);
    const columnData = [
      { name: 'id', data: rows.map((i) => `r${i}`), type: 'STRING' as const },
      { name: 'metadata', data: rows.map(() => text), type: 'STRING' as const },
    ];
    const options = {
      columnData,
      codec: 'ZSTD' as const,
      compressors: { ZSTD: zstdCompressSync },
      dictionarySize: 2 ** 24,
    };
    const bytes = new Uint8Array(parquetWriteBuffer({ ...options, statistics: false }));
    assert.ok(bytes.byteLength < 10_000, `${bytes.byteLength} bytes`);
    const batches = await readAll(bytes, 'parquet', DENSE);
    assert.equal(batches.flatMap(({ refused }) => refused).length, rows.length);
    assert.ok(batches.every(({ refused }) => refused.length < 40));
  });

  it('is skipped as too long a line, and the next is read', async () => {
    const long = `{"id":"a","values":[${'1,'.repeat(2_000_000)}1]}`;
    const bytes = Buffer.from(`${long}\n{"id":"b","values":[1,2,3,4,5]}`);
    const [batch] = await readAll(bytes, 'jsonl', DENSE);
    assert.match(batch?.refused[0]?.reason ?? '', /The line is longer than/);
    assert.deepEqual(
      batch?.records.map(({ id }) => id),
      ['b'],
    );
  });

  it('is refused by the rules of upserts', async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{"id":"","values":[1,2,3,4,5]}', /Vector ID must be 1 to 512/],
      ['{"values":[1,2,3,4,5]}', /Vector ID must be a string/],
      ['{"id":"a","values":[1,2,3,4,1e39]}', /finite 32-bit floats/],
      [
        '{"id":"a","values":[1,2,3,4,5],"sparse_values":{"indices":[1,1],"values":[1,1]}}',
        /Sparse indices must be unique/,
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

  it('is refused alone however deeply it is nested', async () => {
    const lists = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const deep = lists(200_000);
    const nested = [
      `{"id":"a","values":[1,2,3,4,5],"metadata":{"x":${deep}}}`,
      `{"id":"a","values":[1,2,3,4,5],"metadata":{"x":"\\ud83d\\ude00","y":${deep}}}`,
      `{"id":"a","values":${deep}}`,
      `{"id":"a","values":[1,2,3,4,5],"metadata":"{\\"x\\":${lists(20_000)}}"}`,
    ];
    const rows = [...nested, '{"id":"b","values":[1,2,3,4,5]}'].join('\n');
    const [batch] = await readAll(Buffer.from(rows), 'jsonl', DENSE);
    assert.equal(batch?.records.length, 1);
    assert.deepEqual(
      batch.refused.map(({ row, id }) => [row, id]),
      nested.map((_, at) => [at + 1, 'a']),
    );
    for (const { reason } of batch.refused) assert.match(reason, /nested deeper than 64 levels/);
  });

  it('is refused under its id, as far as its line can be parsed', async () => {
    const lines = [
      ['{"id":"a"}', 'a'],
      ['{"id":7}', null],
      ['{"values":[1]}', null],
      ['null', null],
      ['{"id":"a"', null],
      ['{"id":"\\ud800","values":[1]}', '\ufffd'],
      [`{"id":"${'i'.repeat(513)}"}`, 'i'.repeat(100)],
    ] as const;
    const [batch] = await readAll(Buffer.from(lines.map(([line]) => `${line}\n`).join('')), 'jsonl', DENSE);
    const ids = batch?.refused.map(({ id }) => id);
    assert.deepEqual(
      ids,
      lines.map(([, id]) => id),
    );
  });

  it('is refused alone if its bytes are not UTF-8, wherever in the file it is', async () => {
    const line = (id: string) => Buffer.from(`{"id":"${id}","values":[1,2,3,4,5]}\n`);
    const wrong = [Buffer.from('{"id":"é","values":[1,2,3,4,5]}\n', 'latin1'), Buffer.of(0xff, 0xfe, 0x0a)];
    for (const [at, bytes] of [
      [0, [...wrong, line('a'), line('b')]],
      [1, [line('a'), ...wrong, line('b')]],
      [2, [line('a'), line('b'), wrong[0], wrong[1]?.subarray(0, 2)]],
    ] as const) {
      const [batch] = await readAll(Buffer.concat(bytes.map((each) => each ?? Buffer.of())), 'jsonl', DENSE);
      assert.deepEqual(
        batch?.records.map(({ id }) => id),
        ['a', 'b'],
      );
      const reason = 'The line is not valid UTF-8';
      assert.deepEqual(
        batch.refused,
        [at + 1, at + 2].map((row) => ({ row, id: null, reason })),
      );
    }
  });
});
