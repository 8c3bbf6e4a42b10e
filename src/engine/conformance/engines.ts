// The conformance suite of whole engines: storage of indexes, sizes and metrics here, the rest beside it.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { IndexProfile } from '../../domain/index-model.ts';
import { packRecords } from '../port/packed-records.ts';
import type { VectorStore } from '../port/vector-store.ts';
import { branching } from './branches.ts';
import { bulk } from './bulk-access.ts';
import { tracking } from './change-tracking.ts';
import { type CheckEngine, RECORDS } from './engine-fixture.ts';
import { expiring } from './expiring-engines.ts';
import { assertFault, listAll, SPARSE } from './harness.ts';
import { readable } from './same-records.ts';
import { dense, sampleProfile } from './sample-data.ts';
import { staging } from './staging.ts';

/** Makes a new engine without indexes. `close` also removes its storage. */
export type MakeEngine = () => Promise<{ readonly engine: VectorStore; close(): Promise<void> }>;

/** Declares the suite of engine-level calls under `name`. All tests share one engine. */
export function describeEngine(name: string, makeEngine: MakeEngine): void {
  let made: ReturnType<MakeEngine> | undefined;
  let count = 0;
  const profile = (own: Partial<IndexProfile> = {}): IndexProfile => {
    const id = `index-${++count}`;
    return sampleProfile({ ...own, id, name: id });
  };
  const check: CheckEngine = (title, run) => {
    it(title, async () => {
      made ??= makeEngine();
      const { engine } = await made;
      await run({
        engine,
        one: profile(),
        other: profile(),
        third: profile(),
        sparse: profile(SPARSE),
      });
    });
  };
  describe(`${name} conforms as a whole`, () => {
    after(async () => (await made)?.close());
    for (const group of [storage, bulk, staging, tracking, expiring, branching]) group(check);
  });
}

function storage(check: CheckEngine): void {
  check('declares its capabilities', async ({ engine: { capabilities } }) => {
    const { dimensionMax, writeRecordsMax, writeBytesMax, mergedRecordsMax } = capabilities;
    for (const bound of [dimensionMax, writeRecordsMax, writeBytesMax, mergedRecordsMax])
      assert.ok(Number.isInteger(bound) && bound > 0);
    assert.equal(typeof capabilities.sparseExact, 'boolean');
    assert.equal(typeof capabilities.ranksTexts, 'boolean');
  });
  check('keeps the records of an index that is created again', async ({ engine, one }) => {
    await engine.createIndex(one);
    await engine.writer(one).upsert('', RECORDS);
    await engine.createIndex(one);
    assert.equal((await engine.sizeOf(one)).records, RECORDS.length);
  });
  check('waits for the writes that were sent before, failed ones too', async ({ engine, one, other }) => {
    for (const profile of [one, other]) await engine.createIndex(profile);
    const writer = engine.writer(one);
    const sent = [
      ...Array.from({ length: 20 }, (_, n) => writer.upsert(`n${n}`, RECORDS)),
      writer.createNamespace('made', null),
      writer.deleteNamespace('none'),
      writer.deleteNamespace('n7'),
    ].map((write) => write.then(() => null).catch(() => 'failed'));
    await engine.earlierWrites(other);
    await engine.earlierWrites(one);
    const { items } = await engine.reader(one).listNamespaces({ prefix: '', limit: 100, after: null });
    assert.equal(items.length, 20);
    assert.ok(items.every(({ name }) => name !== 'n7'));
    assert.deepEqual(
      (await Promise.all(sent)).filter((each) => each !== null),
      ['failed'],
    );
    await engine.dropIndex(one.id);
    await engine.earlierWrites(one);
  });
  check('keeps indexes apart', async ({ engine, one, other }) => {
    for (const profile of [one, other]) await engine.createIndex(profile);
    await engine.writer(one).upsert('', RECORDS);
    assert.deepEqual((await listAll(engine.reader(other), '')).items, []);
    assert.equal((await engine.sizeOf(other)).records, 0);
  });
  check('reports the size of an index, and zeros before it has storage', async ({ engine, one }) => {
    assert.deepEqual(await engine.sizeOf(one), { records: 0, bytes: 0 });
    await engine.createIndex(one);
    await engine.writer(one).upsert('n', RECORDS);
    assert.equal((await engine.sizeOf(one)).records, RECORDS.length);
  });
  check('rejects every call on a dropped index with index-not-found', async ({ engine, one }) => {
    await engine.createIndex(one);
    await engine.writer(one).upsert('', RECORDS);
    await engine.dropIndex(one.id);
    await engine.dropIndex(one.id);
    const batch = packRecords(RECORDS, one.dimension);
    for (const call of [
      () => engine.writer(one).upsert('', RECORDS),
      () => engine.reader(one).fetch('', ['r10']),
      () => engine.copies(one).export(),
      () => engine.copies(one).read(),
      () => engine.copies(one).write('', batch),
      () => engine.staging(one).create('job', [{ name: 'n', schema: null }]),
      () => engine.staging(one).list(),
    ])
      await assertFault('index-not-found', call());
    assert.deepEqual(await engine.sizeOf(one), { records: 0, bytes: 0 });
  });
  check(
    'reports metrics of the requested indexes, in their order, without dropped ones',
    async ({ engine, one, other, third }) => {
      for (const profile of [one, other]) await engine.createIndex(profile);
      await engine.writer(other).upsert('', RECORDS);
      const gone = sampleProfile({ id: 'index-gone' });
      await engine.createIndex(gone);
      await engine.dropIndex(third.id);
      const { indexes } = await engine.metrics([other, third, one]);
      assert.deepEqual(
        indexes.map(({ indexId, records }) => [indexId, records]),
        [
          [other.id, RECORDS.length],
          [one.id, 0],
        ],
      );
    },
  );
  check('applies many changes of records in one call', async ({ engine, one }) => {
    await engine.createIndex(one);
    const [reader, writer] = [engine.reader(one), engine.writer(one)];
    await writer.upsert('', RECORDS);
    const change = { sparse: null, setMetadata: { seen: true } };
    const lsn = await writer.updateMany('', [
      { ...change, id: 'r10', values: Float32Array.of(9, 9, 9, 9) },
      { ...change, id: 'r11', values: null },
      { ...change, id: 'none', values: null },
    ]);
    assert.ok((await reader.lsn()) >= lsn);
    assert.deepEqual((await reader.fetch('', ['r10', 'r11', 'none'])).map(readable), [
      readable(dense('r10', [9, 9, 9, 9], { n: 0, seen: true })),
      readable(dense('r11', [1, 1, 2, 3], { n: 1, seen: true })),
    ]);
  });
}
