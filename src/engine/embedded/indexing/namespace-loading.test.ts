// A namespace that is loaded while it is written is the same as one that is loaded when nothing else happens.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import type { IndexProfile } from '../../../domain/index-model.ts';
import { inTime, until } from '../../../platform/testing/until.ts';
import { sampleProfile, where } from '../../conformance/sample-data.ts';
import type { VectorWriter } from '../../port/reader-and-writer.ts';
import { ReferenceIndex } from '../../reference/reference-index.ts';
import { type InProcessOptions, openInProcess } from '../in-process-index.ts';
import { assertSame } from '../testing/assert-same.ts';
import { effort } from '../testing/effort.ts';
import { RandomRecords } from '../testing/random-records.ts';
import { tempFolder } from '../testing/temp-folder.ts';

const RECORDS = 5_000;
const SHAPES: readonly (readonly [name: string, shape: Partial<IndexProfile>])[] = [
  ['dense', { metric: 'cosine', dimension: 16 }],
  ['sparse', { metric: 'dotproduct', vectorType: 'sparse', dimension: null }],
  ['hybrid', { metric: 'dotproduct', dimension: 8 }],
];

function setUp(test: TestContext, shape: Partial<IndexProfile>, options: InProcessOptions = {}) {
  const profile = sampleProfile(shape);
  const folder = tempFolder(test);
  const index = openInProcess(profile, folder, { directRecordsMax: 0, ...options });
  return { profile, folder, index, model: new ReferenceIndex(profile) };
}

/** One random write, the same on every side. */
async function writeSomething(sides: readonly VectorWriter[], records: RandomRecords): Promise<void> {
  const { random } = records;
  const id = () => `r${random.integer(RECORDS + 200)}`;
  const kind = random.integer(7);
  const batch = Array.from({ length: 1 + random.integer(20) }, () => records.record(id()));
  const change = {
    id: id(),
    ...(kind === 2 ? { values: null, sparse: null } : records.vectors()),
    setMetadata: records.metadata(),
  };
  const filter = {
    kind: 'all' as const,
    parts: [
      where('rare', { op: 'in', values: [true] }),
      where('part', { op: 'in', values: [random.integer(4)] }),
    ],
  };
  await Promise.all(
    sides.map((side) => {
      if (kind < 2) return side.upsert('', batch);
      if (kind < 4) return side.update('', change);
      if (kind === 4)
        return side.deleteIds(
          '',
          batch.map((record) => record.id),
        );
      if (kind === 5) return side.deleteByFilter('', filter);
      return side.updateByFilter('', { filter, setMetadata: { name: 'n1' }, recordsMax: 1_000 });
    }),
  );
}

for (const [name, shape] of SHAPES) {
  for (const seed of effort({ daily: [1], long: [1, 2, 3] })) {
    it(`finds all ${name} records written while their namespace is loaded (seed ${seed})`, async (test) => {
      const { profile, index, model } = setUp(test, shape);
      const records = new RandomRecords(profile, seed);
      const all = records.records(0, RECORDS);
      for (const side of [index.writer, model]) await side.upsert('', all);
      const { loaded } = index.parts;
      let isAnswered = false;
      const first = index.reader.query(records.query()).finally(() => {
        isAnswered = true;
      });
      let writes = 0;
      while (!isAnswered) {
        await writeSomething([index.writer, model], records);
        writes++;
      }
      await first;
      assert.ok(writes > 1, `${writes} writes during the load`);
      assert.equal(loaded.namespaces().length, 1);
      for (let i = 0; i < 20; i++) await writeSomething([index.writer, model], records);
      await assertSame({ actual: index.reader, model }, records, { queries: 2 });
      await index.close();
    });
  }
}

it('answers waiting queries with nothing when their namespace is dropped while it is loaded, even if it is created again', async (test) => {
  const { profile, index } = setUp(test, { dimension: 16 });
  const { reader, writer } = index;
  const records = new RandomRecords(profile, 4);
  for (let round = 0; round < 5; round++) {
    await writer.upsert('', records.records(0, 3_000));
    const waiting = Array.from({ length: 5 }, () => reader.query(records.query()));
    const dropped = writer.deleteNamespace('');
    const answers = await inTime(Promise.all(waiting), 'a query of a dropped namespace');
    await dropped;
    for (const answer of answers) assert.ok(answer.length === 0 || answer.length === 10);
    assert.deepEqual(await reader.query(records.query()), []);
    await writer.upsert('', records.records(0, 1));
    assert.equal((await inTime(reader.query(records.query()), 'a query of the new namespace')).length, 1);
    await writer.deleteNamespace('');
  }
  await until(() => {
    index.parts.files.store.refresh();
    return index.parts.files.store.garbage.getKeysCount() === 0;
  }, 'the collection');
  assert.deepEqual(index.parts.loaded.namespaces(), []);
  await index.close();
});

it('uses no memory for requests for a namespace that is gone', async (test) => {
  const { profile, index } = setUp(test, { dimension: 16 });
  const records = new RandomRecords(profile, 5);
  await index.writer.upsert('', records.records(0, 400));
  const { loaded, files } = index.parts;
  const namespaceId = files.store.namespaces.get('')?.namespaceId ?? 0;
  await index.writer.deleteNamespace('');
  await until(() => {
    files.store.refresh();
    return files.store.garbage.getKeysCount() === 0;
  }, 'the collection');
  loaded.load(namespaceId, null);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(loaded.namespaces(), []);
  await index.close();
});

it('loads hundreds of namespaces that are requested at once, without writes waiting for all of them', async (test) => {
  const { profile, index } = setUp(test, { dimension: 8 });
  const records = new RandomRecords(profile, 10);
  const names = Array.from({ length: 300 }, (_, i) => `n${i}`);
  await Promise.all(names.map((name) => index.writer.upsert(name, records.records(0, 40))));
  const answers = names.map((name) => index.reader.query(records.query(name)));
  await new Promise(setImmediate);
  await inTime(index.writer.upsert('n0', records.records(40, 1)), 'a write');
  const { loaded } = index.parts;
  assert.ok(loaded.namespaces().length < names.length, 'the write came before the last load');
  for (const answer of await inTime(Promise.all(answers), 'a query')) assert.equal(answer.length, 10);
  assert.equal(loaded.namespaces().length, names.length);
  await index.close();
});

it('ends a load when the index closes, and answers the queries that wait', async (test) => {
  const { profile, index, folder } = setUp(test, { dimension: 16 });
  const records = new RandomRecords(profile, 6);
  await index.writer.upsert('', records.records(0, RECORDS));
  const waiting = assert.rejects(index.reader.query(records.query()), { condition: 'index-not-found' });
  await inTime(index.close(), 'closing');
  await inTime(waiting, 'the query');
  await assert.rejects(index.reader.query(records.query()), { condition: 'index-not-found' });
  await assert.rejects(index.reader.listNamespaces({ prefix: '', limit: 1, after: null }), {
    condition: 'index-not-found',
  });
  const again = openInProcess(profile, folder, { directRecordsMax: 0 });
  assert.equal((await again.reader.query(records.query())).length, 10);
  await again.close();
});

it('searches a namespace that has outgrown memory on disk, and goes on writing', async (test) => {
  for (const framesMax of effort({ daily: [12], long: [12, 22] })) {
    const { profile, index, model } = setUp(
      test,
      { metric: 'dotproduct', dimension: 64 },
      { framesMax, arenasMax: 1 },
    );
    const records = new RandomRecords(profile, 7);
    for (let i = 0; i < 8; i++) {
      const batch = records.records(i * 1_000, 1_000);
      for (const side of [index.writer, model]) await side.upsert('', batch);
      await inTime(index.reader.query(records.query()), 'a query');
    }
    assert.equal(index.parts.loaded.oversized.ids.length, 1, `${framesMax} frames are too few`);
    for (let i = 0; i < 10; i++) await writeSomething([index.writer, model], records);
    await assertSame({ actual: index.reader, model }, records, { queries: 1 });
    const small = records.records(0, 50);
    for (const side of [index.writer, model]) await side.upsert('small', small);
    await assertSame({ actual: index.reader, model }, records, { namespace: 'small', queries: 1 });
    await index.writer.deleteNamespace('');
    assert.deepEqual(index.parts.loaded.oversized.ids, []);
    await index.close();
  }
});

it('fails only the queries of a namespace whose rows cannot be read', async (test) => {
  const { profile, index, folder } = setUp(test, { dimension: 16 });
  const warned = once(process, 'warning');
  const records = new RandomRecords(profile, 8);
  await index.writer.upsert('whole', records.records(0, 500));
  await index.writer.upsert('damaged', records.records(0, 500));
  truncateSync(join(folder, 'rows.f32'), 700 * 16 * 4);
  await assert.rejects(
    inTime(index.reader.query(records.query('damaged')), 'the query'),
    /the file ends before it/,
  );
  const [{ message, indexId }] = await warned;
  assert.match(message, /the file ends before it/);
  assert.equal(indexId, profile.id);
  assert.equal((await index.reader.query(records.query('whole'))).length, 10);
  await index.writer.upsert('whole', records.records(500, 5));
  await index.close();
});

it('keeps a metadata update whose row cannot be read back, and drops the namespace from memory', async (test) => {
  const { profile, index, model } = setUp(test, { dimension: 16 });
  const records = new RandomRecords(profile, 9);
  const all = records.records(0, 500);
  for (const side of [index.writer, model]) await side.upsert('', all);
  await index.reader.query(records.query());
  const { rowFile } = index.parts.files;
  assert.ok(rowFile !== null);
  Object.defineProperty(rowFile, 'readRow', {
    configurable: true,
    value: () => {
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    },
  });
  const change = { id: 'r7', values: null, sparse: null, setMetadata: { part: 2 } };
  for (const side of [index.writer, model]) await side.update('', change);
  Reflect.deleteProperty(rowFile, 'readRow');
  await assertSame({ actual: index.reader, model }, records);
  await index.close();
});

it('starts no load once its index is closing', async (test) => {
  const { profile, index } = setUp(test, { dimension: 4 });
  await index.writer.upsert('', new RandomRecords(profile, 3).records(0, 10));
  const { loaded } = index.parts;
  await loaded.close();
  loaded.load(1, null, 10);
  assert.equal(loaded.loads.isBusy, false);
  await index.close();
});
