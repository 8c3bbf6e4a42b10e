// Guarantees of the encodings of pages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { bytesInMemory, FileProblem } from '../file-bytes.ts';
import { FILE_START, readRecords } from '../read-records.ts';

const SHAPE = { vectorType: 'dense', metric: 'cosine', dimension: 1, columns: { id: 'id' } } as const;

/** Records with a field `seen`, in run-length encoded pages. */
function fileOf(seen: readonly (boolean | null)[]) {
  return new Uint8Array(
    parquetWriteBuffer({
      schema: [
        { name: 'root', num_children: 3 },
        { name: 'id', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
        { name: 'values', repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'FLOAT', repetition_type: 'REQUIRED' },
        { name: 'seen', type: 'BOOLEAN', repetition_type: 'OPTIONAL' },
      ],
      columnData: [
        { name: 'id', data: seen.map((_, row) => `r${row}`) },
        { name: 'values', data: seen.map(() => [1]) },
        { name: 'seen', data: [...seen], encoding: 'RLE' },
      ],
      pageSize: 64,
    }),
  );
}

async function seenIn(bytes: Uint8Array): Promise<readonly unknown[]> {
  const batches = await Array.fromAsync(
    readRecords(bytesInMemory(bytes), 'parquet', { place: FILE_START, shape: SHAPE }),
  );
  return batches.flatMap(({ records }) =>
    records.map(({ metadataJson }) => JSON.parse(metadataJson ?? '{}').seen ?? null),
  );
}

test('reads booleans in run-length encoding, alone, in runs, and with nulls between them', async () => {
  const mixed = Array.from({ length: 2_000 }, (_, row) => row % 3 === 0);
  const runs = Array.from({ length: 2_000 }, (_, row) => row % 1_500 < 700);
  const withNulls = mixed.map((seen, row) => (row % 5 === 0 ? null : seen));
  for (const seen of [[true], [false], mixed, runs, withNulls]) {
    assert.deepEqual(await seenIn(fileOf(seen)), seen);
  }
});

test('refuses a file whose runs of booleans end too early', async () => {
  const bytes = fileOf(Array.from({ length: 8 }, () => true));
  // A run of eight: its length in bytes, its header, its value.
  const at = Buffer.from(bytes).indexOf(Buffer.from([2, 0, 0, 0, 16, 1]));
  assert.ok(at > 0);
  bytes[at + 4] = 2;
  await assert.rejects(seenIn(bytes), { name: FileProblem.name, message: /run of numbers ends too early/ });
});
