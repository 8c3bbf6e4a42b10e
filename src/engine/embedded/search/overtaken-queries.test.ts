// An answer never mixes two states of a record, even while the writer has committed what memory does not show yet.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { sampleProfile, where } from '../../conformance/sample-data.ts';
import { openInProcess } from '../in-process-index.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const PROFILE = sampleProfile({ dimension: 8 });
const RECORDS = 600;

/** An index in memory whose writer can be stopped between commit and publication. */
async function setUp(test: TestContext) {
  const index = openInProcess(PROFILE, tempFolder(test), { directRecordsMax: 0 });
  test.after(() => index.close());
  const records = new RandomRecords(PROFILE, 61);
  await index.writer.upsert(
    '',
    records.records(0, RECORDS).map((record) => ({ ...record, metadataJson: '{"state":"old"}' })),
  );
  await index.reader.query(records.query());
  const { loaded } = index.parts;
  const held: (() => void)[] = [];
  const publish = loaded.publish.bind(loaded);
  const hold = () => {
    Object.defineProperty(loaded, 'publish', {
      configurable: true,
      value: (...args: Parameters<typeof publish>) => void held.push(() => publish(...args)),
    });
  };
  const letGo = () => {
    Reflect.deleteProperty(loaded, 'publish');
    for (const run of held.splice(0)) run();
  };
  return { index, records, hold, letGo };
}

const OLD = where('state', { op: 'in', values: ['old'] });
const NEW = where('state', { op: 'in', values: ['new'] });

it('shows a record that has changed on disk but not yet in memory in one of its states, never in a mixture', async (test) => {
  const { index, records, hold, letGo } = await setUp(test);
  const request = { ...records.query(), topK: RECORDS };
  hold();
  await index.writer.update('', { id: 'r5', values: null, sparse: null, setMetadata: { state: 'new' } });
  for (const filter of [OLD, NEW, null]) {
    for (const { metadataJson } of await index.reader.query({ ...request, filter })) {
      const { state } = JSON.parse(metadataJson ?? '') as { state: string };
      if (filter !== null) assert.equal(state, filter === OLD ? 'old' : 'new');
    }
  }
  letGo();
  assert.deepEqual(
    (await index.reader.query({ ...request, filter: NEW })).map(({ id }) => id),
    ['r5'],
  );
});

it('finds a record that was replaced on disk but not yet in memory once', async (test) => {
  const { index, records, hold, letGo } = await setUp(test);
  hold();
  await index.writer.upsert('', [
    records.record('r5', { state: 'new' }),
    records.record('r6', { state: 'new' }),
  ]);
  const ids = (await index.reader.query({ ...records.query(), topK: RECORDS })).map(({ id }) => id);
  assert.equal(ids.length, RECORDS);
  assert.equal(new Set(ids).size, RECORDS);
  letGo();
});

it('waits for a writer between commit and publication, and answers from memory', async (test) => {
  const { index, records, hold, letGo } = await setUp(test);
  hold();
  await index.writer.upsert('', records.records(0, RECORDS));
  const answer = index.reader.query({ ...records.query(), topK: RECORDS });
  let reads = 0;
  const { records: table } = index.parts.files.store;
  const list = table.list.bind(table);
  Object.defineProperty(table, 'list', {
    value: (...args: Parameters<typeof list>) => {
      reads++;
      return list(...args);
    },
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  letGo();
  assert.equal((await answer).length, RECORDS);
  assert.equal(reads, 0);
});

it('fills pages of a fetch by filter with what matches, whatever the writer is doing', async (test) => {
  const { index, hold, letGo } = await setUp(test);
  hold();
  await index.writer.update('', { id: 'r5', values: null, sparse: null, setMetadata: { state: 'new' } });
  const page = { namespace: '', limit: 1_000, after: null, bytesMax: 2 ** 30 };
  for (const [filter, state] of [
    [OLD, 'old'],
    [NEW, 'new'],
  ] as const) {
    const { items } = await index.reader.fetchByFilter({ ...page, filter });
    for (const { metadataJson } of items) assert.ok(metadataJson?.includes(state));
  }
  letGo();
  assert.equal((await index.reader.fetchByFilter({ ...page, filter: NEW })).items.length, 1);
});
