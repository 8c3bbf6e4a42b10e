// Guarantees of the writing thread of an export.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packRecords } from '../../engine/port/packed-records.ts';
import { lowThreads } from '../../platform/testing/low-threads.ts';
import { FileMaker } from './file-maker.ts';

test('lets queries and writes go first', async () => {
  const before = lowThreads();
  const maker = new FileMaker({ format: 'jsonl', documents: null, fileBytes: 1_000 });
  const record = { id: 'a', values: Float32Array.of(1, 2), sparse: null, metadataJson: null };
  const outputs = await maker.add({ folder: 'n', records: packRecords([record], 2), isLast: true });
  const during = lowThreads();
  await maker.close();
  assert.deepEqual(
    outputs.map(({ type }) => type),
    ['open', 'bytes', 'close'],
  );
  if (before !== null) assert.ok((during ?? 0) > before);
});
