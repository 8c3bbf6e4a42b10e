// Files as pyarrow writes them: 16-bit vectors, and metadata as a struct (made by pyarrow 22; see the loop for what is in it).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import { FileProblem } from '../file-bytes.ts';
import { FILE_START, readRecords } from '../read-records.ts';

const ROWS = 1_200;
const SHAPE = { vectorType: 'dense', metric: 'cosine', dimension: 2 } as const;

function fileOf(name: string) {
  const bytes = readFileSync(new URL(`../testing/${name}`, import.meta.url));
  return { size: bytes.byteLength, read: async (start: number, end: number) => bytes.subarray(start, end) };
}

function expectedMetadata(row: number): object | null {
  if (row % 5 === 4) return null;
  const genres = [undefined, [], ['noir'], ['noir', 'épique']][row % 4];
  return {
    title: `film ${row}`,
    year: 1_900 + (row % 100),
    score: row / 4,
    big: row % 2 === 1 ? String(2n ** 60n + BigInt(row)) : row,
    seen: row % 3 === 0,
    ...(genres !== undefined && { genres }),
  };
}

test('reads 16-bit vectors and the fields of a struct as metadata, from any row on', async () => {
  for (const from of [0, 650, 701]) {
    const batches = await Array.fromAsync(
      readRecords(fileOf('half-floats.parquet'), 'parquet', { place: { row: from, byte: 0 }, shape: SHAPE }),
    );
    assert.deepEqual(
      batches.flatMap(({ refused }) => refused),
      [],
    );
    const records = batches.flatMap((batch) => batch.records);
    assert.equal(records.length, ROWS - from);
    for (const [at, { id, values, metadataJson }] of records.entries()) {
      const row = from + at;
      assert.equal(id, `r${row}`);
      assert.deepEqual([...(values ?? [])], [1, (row % 64) / 8]);
      const metadata = metadataJson === null ? null : JSON.parse(metadataJson);
      assert.deepEqual(metadata ?? {}, expectedMetadata(row) ?? {}, `${row}`);
    }
  }
});

/** A file of one row, whose metadata is a struct of these elements. */
function structFile(elements: readonly SchemaElement[], fields: number, metadata: object) {
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
        { name: 'values', repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
        { name: 'metadata', repetition_type: 'REQUIRED', num_children: fields },
        ...elements,
      ],
      columnData: [
        { name: 'id', data: ['a'] },
        { name: 'values', data: [[1, 2]] },
        { name: 'metadata', data: [metadata] },
      ],
    }),
  );
  return { size: bytes.byteLength, read: async (start: number, end: number) => bytes.subarray(start, end) };
}

test('reads whole numbers without a sign as what they are, however large', async () => {
  const number = (name: string, type: 'INT32' | 'INT64', bitWidth: 32 | 64): SchemaElement => ({
    name,
    type,
    logical_type: { type: 'INTEGER', bitWidth, isSigned: false },
    repetition_type: 'REQUIRED',
  });
  const old: SchemaElement = {
    name: 'old',
    type: 'INT32',
    converted_type: 'UINT_32',
    repetition_type: 'REQUIRED',
  };
  const elements = [number('four', 'INT32', 32), number('eight', 'INT64', 64), old];
  const file = structFile(elements, 3, { four: 3_000_000_000, eight: 2n ** 63n + 5n, old: 4_000_000_000 });
  const [batch] = await Array.fromAsync(readRecords(file, 'parquet', { place: FILE_START, shape: SHAPE }));
  assert.deepEqual(JSON.parse(batch?.records[0]?.metadataJson ?? ''), {
    four: 3_000_000_000,
    eight: String(2n ** 63n + 5n),
    old: 4_000_000_000,
  });
});

test('refuses a struct in a struct, even one of a single field', async () => {
  const inner: SchemaElement = { name: 'a', num_children: 1, repetition_type: 'REQUIRED' };
  const value: SchemaElement = { name: 'b', type: 'INT32', repetition_type: 'REQUIRED' };
  const file = structFile([inner, value], 1, { a: { b: 5 } });
  await assert.rejects(
    Array.fromAsync(readRecords(file, 'parquet', { place: FILE_START, shape: SHAPE })),
    (error) => error instanceof FileProblem && /field 'metadata.a' must be/.test(error.message),
  );
});

test('refuses a struct with fields that metadata cannot hold, by their name', async () => {
  const file = fileOf('timestamps.parquet');
  await assert.rejects(
    Array.fromAsync(readRecords(file, 'parquet', { place: FILE_START, shape: SHAPE })),
    (error) => error instanceof FileProblem && /field 'metadata.when' must be/.test(error.message),
  );
});
