// Files as pyarrow writes them: 16-bit vectors, and metadata as a struct (made by pyarrow 22; see the loop for what is in it).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
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

test('refuses a struct with fields that metadata cannot hold, by their name', async () => {
  const file = fileOf('timestamps.parquet');
  await assert.rejects(
    Array.fromAsync(readRecords(file, 'parquet', { place: FILE_START, shape: SHAPE })),
    (error) => error instanceof FileProblem && /field 'metadata.when' must be/.test(error.message),
  );
});
