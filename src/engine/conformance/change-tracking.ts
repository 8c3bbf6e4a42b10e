// The conformance suite of whole engines: lists of the records that have changed since tracking began.
import assert from 'node:assert/strict';
import { packRecords } from '../port/packed-records.ts';
import { type CheckEngine, type EngineFixture, RECORDS, SCHEMA } from './engine-fixture.ts';
import { where } from './sample-data.ts';

export function tracking(check: CheckEngine): void {
  const tracks = (title: string, run: (fixture: EngineFixture) => Promise<void>) =>
    check(title, async (fixture) => {
      if (!fixture.engine.capabilities.tracksChanges) return;
      await fixture.engine.createIndex(fixture.one);
      await run(fixture);
    });
  const changedIn = async ({ engine, one }: EngineFixture) => {
    const { changed } = await engine.changed(one).list(1_000);
    return new Set(
      changed.map(({ namespace, id }) => (id === null ? `${namespace}/` : `${namespace}/${id}`)),
    );
  };
  tracks('lists what changes from the moment that tracking begins', async (fixture) => {
    const { engine, one } = fixture;
    const writer = engine.writer(one);
    await writer.upsert('a', RECORDS);
    assert.deepEqual(await engine.changed(one).list(10), { changed: [], total: 0 });
    await engine.changed(one).track();
    await writer.upsert('a', RECORDS.slice(0, 2));
    await writer.update('a', { id: 'r12', values: null, sparse: null, setMetadata: { seen: true } });
    await writer.deleteIds('a', ['r13']);
    await writer.createNamespace('b', SCHEMA);
    await engine.changed(one).track();
    const changed = await changedIn(fixture);
    for (const key of ['a/r10', 'a/r11', 'a/r12', 'a/r13', 'b/']) assert.ok(changed.has(key), key);
    const { total, changed: some } = await engine.changed(one).list(2);
    assert.deepEqual([total, some.length], [changed.size, 2]);
  });
  tracks('covers writes by filter, dropped namespaces and published ones', async (fixture) => {
    const { engine, one } = fixture;
    const writer = engine.writer(one);
    for (const name of ['a', 'b']) await writer.upsert(name, RECORDS);
    await engine.changed(one).track();
    const filter = where('n', { op: 'in', values: [3] });
    await writer.updateByFilter('a', { filter, setMetadata: { seen: true }, recordsMax: 10 });
    const changed = await changedIn(fixture);
    assert.ok(changed.has('a/r13') || changed.has('a/'));
    await writer.deleteNamespace('b');
    const staged = engine.staging(one);
    await staged.write('job', 'c', packRecords(RECORDS, one.dimension));
    assert.ok(![...(await changedIn(fixture))].some((key) => key.startsWith('c/')));
    await staged.publish('job');
    const later = await changedIn(fixture);
    assert.deepEqual([later.has('b/'), later.has('c/')], [true, true]);
  });
  tracks('keeps settled changes that have changed again, and forgets all', async (fixture) => {
    const { engine, one } = fixture;
    const tracked = engine.changed(one);
    await tracked.track();
    const writer = engine.writer(one);
    await writer.upsert('a', RECORDS.slice(0, 2));
    const { changed } = await tracked.list(10);
    await writer.upsert('a', RECORDS.slice(1, 2));
    await tracked.settle(changed);
    assert.deepEqual([...(await changedIn(fixture))], ['a/r11']);
    await tracked.forget();
    await tracked.forget();
    await writer.upsert('a', RECORDS);
    assert.equal((await tracked.list(10)).total, 0);
    await engine.changed(fixture.other).forget();
  });
}
