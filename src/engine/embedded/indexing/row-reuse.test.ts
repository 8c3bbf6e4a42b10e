// Rows that no reader can see are reused; rows that one may see are not.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Epochs } from '../memory/epochs.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { openIndex } from './open-index.ts';

const DIMENSION = 8;
const ROW_BYTES = DIMENSION * 4;
const PROFILE = sampleProfile({ dimension: DIMENSION });
const RECORDS = 200;

function setUp(test: TestContext, folder = tempFolder(test)) {
  const epochs = new Epochs(Epochs.allocate(1));
  const index = openIndex(PROFILE, folder, { epochs, announce: () => {} });
  const rows = () => (index.files.rowFile?.bytes ?? 0) / ROW_BYTES;
  return { folder, epochs, index, rows, records: new RandomRecords(PROFILE, 43) };
}

it('keeps the size of the row file while records are replaced and deleted', async (test) => {
  const { index, rows, records } = setUp(test);
  await index.writer.upsert('', records.records(0, RECORDS));
  for (let round = 0; round < 20; round++) {
    await index.writer.upsert('', records.records(0, RECORDS));
    if (round % 2 === 0)
      await index.writer.deleteIds(
        '',
        records.records(0, RECORDS).map(({ id }) => id),
      );
  }
  assert.ok(rows() <= 3 * RECORDS, `${rows()} rows for ${RECORDS} records`);
  await index.close();
});

it('allocates no row for an update of metadata', async (test) => {
  const { index, rows, records } = setUp(test);
  await index.writer.upsert('', records.records(0, 10));
  for (let i = 0; i < 20; i++)
    await index.writer.update('', { id: `r${i % 10}`, values: null, sparse: null, setMetadata: { i } });
  assert.equal(rows(), 10);
  await index.close();
});

it('keeps the vector of a row that a pinned reader may see', async (test) => {
  const { index, rows, epochs, records } = setUp(test);
  const first = records.records(0, RECORDS);
  await index.writer.upsert('', first);
  epochs.pin(0);
  for (let round = 0; round < 3; round++) await index.writer.upsert('', records.records(0, RECORDS));
  for (const [row, record] of first.entries())
    assert.deepEqual(index.files.rowFile?.readRow(row), record.values);
  assert.equal(rows(), 4 * RECORDS);
  epochs.unpin(0);
  for (let round = 0; round < 3; round++) await index.writer.upsert('', records.records(0, RECORDS));
  assert.equal(rows(), 4 * RECORDS, 'the rows of before are used again');
  await index.close();
});

it('reuses no row that was freed during a load before the load ends', async (test) => {
  const { index, rows, records } = setUp(test);
  await index.writer.upsert('', records.records(0, 2_000));
  const space = index.files.store.namespaces.get('');
  assert.ok(space !== null);
  index.loaded.load(space.namespaceId, null);
  const ids = records.records(0, 500).map(({ id }) => id);
  const deleted = index.writer.deleteIds('', ids);
  const added = index.writer.upsert('other', records.records(0, 500));
  await Promise.all([deleted, added]);
  assert.equal(rows(), 2_500);
  await until(() => index.loaded.namespaces().length === 1, 'the load');
  await index.writer.upsert('other', records.records(500, 500));
  assert.equal(rows(), 2_500, 'afterwards they are used');
  await index.close();
});

it('frees the pages of its snapshot after a load, a stopped or failed one too', async (test) => {
  const { index, records } = setUp(test);
  const { env } = index.files.store;
  for (let round = 0; round < 6; round++) {
    await index.writer.upsert('n', records.records(0, 3_000));
    const space = index.files.store.namespaces.get('n');
    assert.ok(space !== null);
    index.loaded.load(space.namespaceId, null);
    await index.writer.deleteNamespace('n');
  }
  await until(() => index.files.store.garbage.getKeysCount() === 0, 'the collection');
  env.resetReadTxn();
  const readers = env
    .readerList()
    .split('\n')
    .filter((line) => /^\s*\d+\s+\S+\s+\d+\s*$/.test(line));
  assert.deepEqual(readers, [], 'no reader holds a snapshot');
  await index.close();
});

it('keeps the list of free rows over a restart', async (test) => {
  const { index, folder, records } = setUp(test);
  await index.writer.upsert('', records.records(0, 3_000));
  await index.writer.deleteIds(
    '',
    records.records(0, 2_500).map(({ id }) => id),
  );
  await index.close();
  const again = setUp(test, folder);
  await again.index.writer.upsert('', records.records(5_000, 1_000));
  await again.index.writer.upsert('', records.records(6_000, 1_500));
  assert.equal(again.rows(), 3_000);
  assert.equal(again.index.files.store.freeRows.getKeysCount(), 0, 'every free row is taken');
  await again.index.writer.upsert('', records.records(8_000, 1));
  assert.equal(again.rows(), 3_001);
  await again.index.close();
});

it('gives no two records the same row', async (test) => {
  const { index, records } = setUp(test);
  for (let round = 0; round < 40; round++) {
    const namespace = `n${records.random.integer(3)}`;
    const first = records.random.integer(300);
    await index.writer.upsert(namespace, records.records(first, 1 + records.random.integer(100)));
    if (round % 3 === 0)
      await index.writer.deleteIds(
        namespace,
        records.records(first, 50).map(({ id }) => id),
      );
    if (round % 11 === 10) await index.writer.deleteNamespace(namespace);
  }
  const rows = [...index.files.store.records.database.getKeys()].map((key) => key.readUInt32BE(4));
  assert.equal(new Set(rows).size, rows.length);
  const free = [...index.files.store.freeRows.getRange()].flatMap(({ value }) =>
    Array.from({ length: value.length / 4 }, (_, i) => value.readUInt32LE(i * 4)),
  );
  assert.equal(
    new Set([...rows, ...free]).size,
    rows.length + free.length,
    'no row is free and used, or free twice',
  );
  await index.close();
});
