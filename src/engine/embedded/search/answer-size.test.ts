// Guarantees of too large answers: refused before the search, or before their values and the rest of their metadata are read.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { sampleProfile, sampleQuery } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { RecordTable } from '../storage/record-table.ts';
import { RowFile } from '../storage/row-file.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = 400;
const DIMENSION = 16;
const METADATA_CHARS = 1_000;

function isTooBig(error: unknown): boolean {
  return error instanceof Fault && error.condition === 'response-too-big';
}

for (const [way, directRecordsMax] of [
  ['from the records', RECORDS],
  ['in memory', 0],
] as const) {
  describe(`a query ${way}`, () => {
    async function filled(test: TestContext) {
      const profile = sampleProfile({ dimension: DIMENSION });
      const index = openInProcess(profile, tempFolder(test), { directRecordsMax });
      test.after(() => index.close());
      const metadataJson = JSON.stringify({ text: 'x'.repeat(METADATA_CHARS) });
      const records = Array.from({ length: RECORDS }, (_, i) => ({
        id: `${i}`,
        values: Float32Array.from({ length: DIMENSION }, (_, at) => 1.0123 + ((i * at) % 7)),
        sparse: null,
        metadataJson,
      }));
      await index.writer.upsert('', records);
      const query = (more: object) =>
        index.reader.query(
          sampleQuery({ values: new Float32Array(DIMENSION).fill(1), topK: RECORDS, ...more }),
        );
      await query({});
      return query;
    }

    it('reads no values of an answer that they make too large', async (test) => {
      const query = await filled(test);
      const rows = test.mock.method(RowFile.prototype, 'readRow');
      const answerBytesMax = RECORDS * DIMENSION;
      await assert.rejects(query({ includeValues: true, answerBytesMax }), isTooBig);
      assert.ok(rows.mock.callCount() <= RECORDS / 2, `${rows.mock.callCount()} rows`);
      if (directRecordsMax === 0) assert.equal(rows.mock.callCount(), 0);
    });

    it('stops reading values once their text is too large', async (test) => {
      const query = await filled(test);
      const rows = test.mock.method(RowFile.prototype, 'readRow');
      // Enough for the shortest text of all values, not for the true one, of seven characters a value.
      const answerBytesMax = RECORDS * (40 + 4 * DIMENSION);
      await assert.rejects(query({ includeValues: true, answerBytesMax, answerForm: 'json' }), isTooBig);
      assert.ok(rows.mock.callCount() < RECORDS, `${rows.mock.callCount()} rows`);
    });

    it('stops reading metadata once the answer is too large', async (test) => {
      const query = await filled(test);
      const reads = test.mock.method(RecordTable.prototype, 'get');
      const answerBytesMax = 10 * METADATA_CHARS;
      await assert.rejects(query({ includeMetadata: true, answerBytesMax }), isTooBig);
      if (directRecordsMax === 0) assert.ok(reads.mock.callCount() < RECORDS / 4);
    });

    it('answers what fits, by as few matches as topK admits', async (test) => {
      const query = await filled(test);
      const parts = { includeValues: true, includeMetadata: true };
      assert.equal((await query({ ...parts, topK: 5, answerBytesMax: 5 * METADATA_CHARS })).length, 5);
      assert.equal((await query(parts)).length, RECORDS);
    });
  });
}
