// Guarantees of pages by filter and of scans: they read and keep what the answer takes, and not all that match.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { dense, EVERYTHING, sampleProfile, sampleQuery, where } from '../../conformance/sample-data.ts';
import type { FilteredRequest } from '../../port/reader-and-writer.ts';
import { openInProcess } from '../in-process-index.ts';
import { RecordTable } from '../storage/record-table.ts';
import { BOUNDS } from '../testing/history-fixture.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { BestHits } from './best-hits.ts';

const RECORDS = 500;
const METADATA_CHARS = 1_000;
/** Ten records' worth. */
const BYTES_MAX = 10 * METADATA_CHARS;
/** Pages that only columns in memory find without reading what else there is. */
const COLUMNS = [
  ['few', { filter: where('n', { op: 'in', values: [...Array(20).keys()] }) }],
  ['ordered', { order: { field: 'n', descending: true, afterNumber: null } }],
] as const;

async function setUp(test: TestContext, directRecordsMax: number) {
  const index = openInProcess(sampleProfile(), tempFolder(test), {
    directRecordsMax,
    history: { bounds: BOUNDS },
  });
  test.after(() => index.close());
  const text = 'x'.repeat(METADATA_CHARS);
  const records = Array.from({ length: RECORDS }, (_, i) => dense(`r${i}`, [1, i, 0, 0], { n: i, text }));
  await index.writer.upsert('', records);
  await index.writer.branches.create({ name: 'branch', source: '', asOf: null });
  return index;
}

const page = (more: Partial<FilteredRequest>): FilteredRequest => ({
  ...{ namespace: '', filter: where('n', { op: 'compare', relation: 'gte', bound: 0 }) },
  ...{ limit: RECORDS, after: null, bytesMax: BYTES_MAX },
  ...more,
});

for (const [way, directRecordsMax] of [
  ['from the records', RECORDS],
  ['in memory', 0],
] as const) {
  describe(`a page by filter ${way}`, () => {
    it('reads no more records than its bytes take', async (test) => {
      const { reader } = await setUp(test, directRecordsMax);
      await reader.count('', EVERYTHING);
      const past = reader.asOf({ lsn: await reader.lsn() });
      const reads = test.mock.method(RecordTable.prototype, 'get');
      for (const [name, found] of [
        ['all', () => reader.fetchByFilter(page({ filter: EVERYTHING }))],
        ...(directRecordsMax === 0 ? COLUMNS : []).map(
          ([kind, more]) => [kind, () => reader.fetchByFilter(page(more))] as const,
        ),
        ['past', () => past.fetchByFilter(page({}))],
      ] as const) {
        reads.mock.resetCalls();
        const { items, next } = await found();
        assert.equal(items.length, 10, name);
        assert.equal(next, items.at(-1)?.id, name);
        const whole = reads.mock.calls.filter(({ arguments: [, , parts] }) => parts?.metadata !== false);
        assert.ok(whole.length < 20, `${name}: ${whole.length} records`);
      }
    });
  });
}

describe('a scan', () => {
  for (const [name, more, read] of [
    ['nothing but ids and scores', {}, { sparse: false, metadata: false }],
    ['metadata', { includeMetadata: true }, { sparse: false, metadata: true }],
    ['values', { includeValues: true }, { sparse: true, metadata: false }],
    ['what matches', { filter: where('n', { op: 'in', values: [1] }) }, { sparse: false, metadata: true }],
  ] as const) {
    it(`decodes no other parts of records to answer with ${name}`, async (test) => {
      const { reader } = await setUp(test, RECORDS);
      const lists = test.mock.method(RecordTable.prototype, 'list');
      for (const namespace of ['', 'branch'])
        await reader.query(sampleQuery({ namespace, values: Float32Array.of(1, 1, 0, 0), ...more }));
      assert.ok(lists.mock.callCount() > 0);
      for (const { arguments: args } of lists.mock.calls) assert.deepEqual(args[2]?.parts, read);
    });
  }

  it('keeps no more metadata of its hits than the answer takes', () => {
    const metadataJson = 'x'.repeat(METADATA_CHARS);
    const hits = Array.from({ length: RECORDS }, (_, i) => ({
      record: { id: `r${i}`, sparse: null, metadataJson },
      ...{ row: i, score: i },
    }));
    const kept = (more: object) => {
      const values = Float32Array.of(1, 0, 0, 0);
      const best = new BestHits(sampleProfile(), sampleQuery({ values, topK: RECORDS, ...more }));
      for (const hit of hits) best.add(hit);
      return best.finish().reduce((sum, { record }) => sum + (record.metadataJson?.length ?? 0), 0);
    };
    assert.equal(kept({}), 0);
    assert.equal(kept({ includeMetadata: true }), RECORDS * METADATA_CHARS);
    const bounded = kept({ includeMetadata: true, answerForm: 'json', answerBytesMax: 5 * BYTES_MAX });
    assert.ok(bounded >= 4 * BYTES_MAX && bounded <= 6 * BYTES_MAX, `${bounded} characters`);
  });
});
