// The records of a dropped namespace are removed from disk, and nothing else.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { until } from '../../../platform/testing/until.ts';
import { sampleProfile } from '../../conformance/sample-data.ts';
import { Epochs } from '../memory/epochs.ts';
import type { Bytes } from '../storage/database.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';
import { type OpenIndex, openIndex } from './open-index.ts';

const PROFILE = sampleProfile({ dimension: 4 });
const RECORDS = 1_700;

function open(folder: string): OpenIndex {
  return openIndex(PROFILE, folder, { epochs: new Epochs(Epochs.allocate(1)), announce: () => {} });
}

function setUp(test: TestContext) {
  const folder = tempFolder(test);
  return { folder, index: open(folder), records: new RandomRecords(PROFILE, 44) };
}

async function collected({ files: { store } }: OpenIndex): Promise<void> {
  await until(() => {
    store.refresh();
    return store.garbage.getKeysCount() === 0;
  }, 'the collection');
}

function counts({ files: { store } }: OpenIndex) {
  store.refresh();
  const size = (database: Bytes) => database.getKeysCount();
  return {
    ids: size(store.records.ids),
    records: size(store.records.database),
    fields: size(store.fields.database),
  };
}

it('removes ids, records and fields of a dropped namespace in several small commits', async (test) => {
  const { index, records } = setUp(test);
  await index.writer.upsert('n', records.records(0, RECORDS));
  const before = await index.writer.deleteNamespace('n');
  await collected(index);
  assert.deepEqual(counts(index), { ids: 0, records: 0, fields: 0 });
  assert.ok(index.writer.lsn() - before >= RECORDS / 500);
  await index.close();
});

it('reuses its rows, so that dropping and filling namespaces takes no more disk space', async (test) => {
  const { index, records } = setUp(test);
  for (let round = 0; round < 5; round++) {
    await index.writer.upsert('n', records.records(0, RECORDS));
    await index.writer.deleteNamespace('n');
    await collected(index);
  }
  // Nothing is removed or dropped from here on.
  await index.writer.upsert('m', records.records(0, 1));
  await index.writer.upsert('m', records.records(1, RECORDS - 1));
  assert.equal((index.files.rowFile?.bytes ?? 0) / 16, RECORDS);
  await index.close();
});

it('leaves a new namespace of the same name alone', async (test) => {
  const { index, records } = setUp(test);
  const { writer } = index;
  await writer.upsert('n', records.records(0, RECORDS));
  const [, , second] = await Promise.all([
    writer.deleteNamespace('n'),
    writer.upsert('n', records.records(0, 10)),
    writer.upsert('n', records.records(10, 10)),
  ]);
  assert.ok(second > 0);
  await collected(index);
  assert.equal(index.files.store.namespaces.get('n')?.recordCount, 20);
  assert.equal(counts(index).records, 20);
  assert.equal(counts(index).ids, 20);
  assert.ok(
    [...index.files.store.fields.list(index.files.store.namespaces.get('n')?.namespaceId ?? 0)].length > 0,
  );
  await index.close();
});

it('continues an interrupted collection after a restart', async (test) => {
  const { index, folder, records } = setUp(test);
  await index.writer.upsert('n', records.records(0, RECORDS));
  await index.writer.upsert('kept', records.records(0, 7));
  await index.writer.deleteNamespace('n');
  await index.close();
  const again = open(folder);
  assert.ok(counts(again).records > 7, 'something was left to do');
  await collected(again);
  assert.deepEqual(counts(again).records, 7);
  await again.close();
});

it('collects many dropped namespaces while writes go on', async (test) => {
  const { index, records } = setUp(test);
  for (let i = 0; i < 30; i++) await index.writer.upsert(`n${i}`, records.records(0, 40));
  const drops = Array.from({ length: 30 }, (_, i) => index.writer.deleteNamespace(`n${i}`));
  const writes = Array.from({ length: 30 }, (_, i) => index.writer.upsert('kept', records.records(i, 1)));
  await Promise.all([...drops, ...writes]);
  await collected(index);
  assert.deepEqual(counts(index).records, 30);
  await index.close();
});

it('retries the collection after a full disk', async (test) => {
  const { index, records } = setUp(test);
  await index.writer.upsert('n', records.records(0, RECORDS));
  const { env } = index.files.store;
  await index.writer.deleteNamespace('n');
  let failures = 0;
  Object.defineProperty(env, 'transactionSync', {
    configurable: true,
    value: () => {
      failures++;
      throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  await until(() => failures > 0, 'the failure');
  Reflect.deleteProperty(env, 'transactionSync');
  await collected(index);
  await index.close();
});
