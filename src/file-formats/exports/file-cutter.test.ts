// Files of exports: whatever the records are like, an import reads them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StorableRecord } from '../../domain/records/record.ts';
import { packRecords } from '../../engine/port/packed-records.ts';
import { readAll } from '../testing/record-files.ts';
import { FileCutter } from './file-cutter.ts';

const SHAPE = { vectorType: 'dense', metric: 'cosine', dimension: 2 } as const;

test('ends Parquet files before they unpack further than an import lets them', async () => {
  // Long metadata that is the same everywhere: 300 MB of it compress to 100 KB.
  const metadataJson = JSON.stringify({ text: 'a'.repeat(40_000) });
  const batchRecords = 500;
  const batches = 15;
  const cutter = new FileCutter({ format: 'parquet', documents: null, fileBytes: 100_000_000 });
  const files: Uint8Array[][] = [];
  for (let batch = 0; batch < batches; batch++) {
    const records = Array.from(
      { length: batchRecords },
      (_, i): StorableRecord => ({
        ...{ id: `r${batch * batchRecords + i}`, values: Float32Array.of(1, i), sparse: null, metadataJson },
      }),
    );
    const packed = packRecords(records, SHAPE.dimension);
    for (const output of await cutter.add({ folder: 'n', records: packed, isLast: batch === batches - 1 })) {
      if (output.type === 'open') files.push([]);
      if (output.type === 'bytes') files.at(-1)?.push(output.bytes);
    }
  }
  let records = 0;
  for (const file of files)
    for (const batch of await readAll(Buffer.concat(file), 'parquet', SHAPE)) records += batch.records.length;
  assert.equal(records, batches * batchRecords);
  assert.equal(files.length, 2);
});
