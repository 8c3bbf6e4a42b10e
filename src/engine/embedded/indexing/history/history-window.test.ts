// Guarantees of the window of a history: what it drops, keeps and lists.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../../../platform/testing/until.ts';
import { assertFault } from '../../../conformance/harness.ts';
import { oldestBatch } from '../../storage/history/history-table.ts';
import { HistoryFixture, HOUR_MS, IDS } from '../../testing/history-fixture.ts';

const FEED = { namespace: null, limit: 10 };

describe('the window', () => {
  it('drops what is older, and uses rows and records of dropped namespaces again', async (test) => {
    const fixture = new HistoryFixture(test);
    const rows = () => fixture.index.parts.files.rowFile?.bytes;
    await fixture.upsert('', 0, 100);
    await fixture.upsert('dropped', 0, 100);
    await fixture.index.writer.deleteNamespace('dropped');
    await fixture.upsert('', 0, 100);
    const [before, bytes] = [fixture.lsn, rows()];
    fixture.now += 25 * HOUR_MS;
    for (let i = 0; i < 5; i++) await fixture.write({ kind: 'update', namespace: '', ids: ['r0'] });
    const window = await fixture.history.describe();
    assert.ok(window !== null && window.fromLsn === before);
    await assertFault('invalid-argument', fixture.rollBack('', before - 1));
    assert.equal(await fixture.history.lsnAt(fixture.now - 26 * HOUR_MS), null);
    const { records } = fixture.index.parts.files.store;
    const isCollected = () => fixture.index.parts.files.store.garbage.getCount({}) === 0;
    await until(isCollected, 'the collection');
    assert.equal(records.hasAny(2), false);
    for (const name of ['', 'new']) await fixture.upsert(name, 0, 100);
    assert.equal(rows(), bytes);
    await fixture.close();
  });

  it('drops what is older, too, where the clock was far ahead for one write, and nothing younger', async (test) => {
    const fixture = new HistoryFixture(test);
    const update = () => fixture.write({ kind: 'update', namespace: '', ids: ['r0'] });
    const window = async () => (await fixture.history.describe()) ?? assert.fail('no history');
    await fixture.upsert('', 0, 8);
    fixture.now += 365 * 24 * HOUR_MS;
    await update();
    fixture.now -= 365 * 24 * HOUR_MS;
    const ahead = fixture.lsn;
    const written: { readonly lsn: number; readonly ms: number }[] = [];
    for (let hour = 0; hour < 60; hour++) {
      if (hour === 40) await fixture.reopen();
      fixture.now += HOUR_MS;
      await update();
      written.push({ lsn: fixture.lsn, ms: fixture.now });
    }
    const { fromLsn, fromMs } = await window();
    assert.ok(fromLsn >= ahead && fromMs <= fixture.now, `${fromLsn}`);
    for (const { lsn, ms } of written) {
      const isKept = lsn > fromLsn;
      if (ms >= fixture.now - 24 * HOUR_MS) assert.ok(isKept, `${lsn} is gone`);
      if (ms < fixture.now - 27 * HOUR_MS) assert.ok(!isKept, `${lsn} is left`);
    }
    await fixture.close();
  });

  it('drops what a clock that was ahead wrote last, where nobody writes', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 8);
    fixture.now += 365 * 24 * HOUR_MS;
    await fixture.upsert('', 0, 8);
    fixture.now -= 365 * 24 * HOUR_MS;
    const { lsn } = fixture;
    await fixture.reopen();
    await until(() => fixture.index.writer.idleness.isQuiet(), 'a note of the time');
    fixture.now += 25 * HOUR_MS;
    await fixture.reopen();
    await until(() => fixture.index.writer.idleness.due().historyDueMs === null, 'the drop');
    assert.equal((await fixture.history.describe())?.fromLsn, lsn);
    await fixture.close();
  });

  it('tries ever more seldom to drop what is older where commits fail, and keeps the index from closing only until then', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 8);
    const { lsn } = fixture;
    fixture.now += 25 * HOUR_MS;
    await fixture.reopen();
    const { idleness } = fixture.index.writer;
    assert.ok(!idleness.isQuiet());
    const { env } = fixture.index.parts.files.store;
    const commit = test.mock.method(env, 'transactionSync', () => {
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    await until(() => commit.mock.callCount() === 1, 'the first try');
    await until(() => idleness.isQuiet(), 'a rest');
    assert.equal(idleness.due().historyDueMs, fixture.now + 1_000, 'an index that closes is opened then');
    await until(() => commit.mock.callCount() === 2, 'the second try');
    await until(() => idleness.isQuiet(), 'another rest');
    assert.equal(idleness.due().historyDueMs, fixture.now + 2_000);
    commit.mock.restore();
    await until(() => idleness.due().historyDueMs === null, 'the drop');
    assert.equal((await fixture.history.describe())?.fromLsn, lsn);
    await fixture.close();
  });

  it('drops the oldest where the disk has too little space', async (test) => {
    const fixture = new HistoryFixture(test);
    fixture.freeBytes = 20_000;
    for (let i = 0; i < 60; i++) {
      fixture.now += 10_000;
      await fixture.upsert('', 0, 20);
    }
    const window = await fixture.history.describe();
    assert.ok(window !== null && window.bytes <= 40_000, `${window?.bytes} bytes`);
    assert.ok(window.fromLsn > 0 && window.fromLsn < fixture.lsn);
    await fixture.close();
  });

  it('begins again after writes without history, and forgets all when it is switched off', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 10);
    await fixture.upsert('', 0, 10);
    await fixture.reopen(null);
    assert.equal(await fixture.history.describe(), null);
    await fixture.upsert('', 0, 10);
    const { lsn } = fixture;
    await fixture.reopen();
    await fixture.upsert('', 0, 10);
    const window = await fixture.history.describe();
    assert.equal(window?.fromLsn, lsn);
    assert.equal(window?.changes, 10);
    await assertFault('invalid-argument', fixture.rollBack('', lsn - 1));
    await fixture.close();
  });

  it('tells nothing that is older than its window, though nobody has written since', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 8);
    const old = fixture.now;
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ['r0'] });
    const deleted = fixture.lsn;
    fixture.now += 23 * HOUR_MS;
    await fixture.write({ kind: 'update', namespace: '', ids: ['r1'] });
    fixture.now += 2 * HOUR_MS;
    const { history, index } = fixture;
    const { reader, writer } = index;
    const refused = (ask: () => unknown) => assertFault('invalid-argument', Promise.resolve().then(ask));
    const window = await history.describe();
    assert.deepEqual([window?.fromLsn, window?.fromMs], [deleted, fixture.now - 24 * HOUR_MS]);
    await refused(() => reader.asOf({ ms: old }));
    await refused(() => reader.asOf({ ms: fixture.now - 25 * HOUR_MS }));
    await refused(() => reader.asOf({ lsn: deleted - 1 }));
    await refused(() => history.feed({ ...FEED, after: { lsn: deleted, changes: 0 } }));
    assert.equal(await history.lsnAt(old), null);
    const { entries } = await history.list({ namespace: null, before: null, limit: 10 });
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ['update'],
    );
    const then = reader.asOf({ ms: fixture.now - 23 * HOUR_MS });
    assert.equal(await then.lsn(), deleted);
    assert.deepEqual(
      (await then.fetch('', IDS)).map(({ id }) => id),
      IDS.slice(1),
    );
    assert.equal(
      (await history.feed({ ...FEED, after: { lsn: deleted + 1, changes: 0 } })).changes.length,
      1,
    );
    // Last, since it is a write, which drops what is old.
    await refused(() => writer.branches.create({ name: 'b', source: '', asOf: deleted - 1 }));
    await fixture.close();
  });

  it('is cleared where it is not kept any more, and does not come back', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 8);
    await fixture.upsert('dropped', 0, 8);
    await fixture.index.writer.deleteNamespace('dropped');
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ['r0'] });
    const { lsn } = fixture;
    await fixture.reopen(null);
    fixture.now += 1_000;
    const { idleness } = fixture.index.writer;
    assert.ok(!idleness.isQuiet(), 'it stays open for this');
    assert.throws(() => fixture.index.reader.asOf({ lsn: lsn - 1 }), /reaches back|no history/);
    await until(() => idleness.isQuiet(), 'the end');
    const { store } = fixture.index.parts.files;
    assert.deepEqual([store.history.state(), oldestBatch(store.history)], [null, null]);
    assert.deepEqual([store.garbage.getCount({}), idleness.due().historyDueMs], [0, null]);
    await fixture.reopen();
    assert.equal((await fixture.history.describe())?.changes, 0);
    await assertFault('invalid-argument', fixture.rollBack('', lsn - 1));
    await fixture.close();
  });

  it('lists operations, the latest first, a page at a time', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 100);
    await fixture.upsert('n', 0, 3);
    await fixture.write({ kind: 'update', namespace: '', ids: ['r1', 'r2'] });
    await fixture.index.writer.deleteIds('', ['r1', 'r99', 'none']);
    await fixture.index.writer.deleteNamespace('n');
    const short = ({ namespace, kind, records }: { namespace: string; kind: string; records: number }) =>
      `${kind} ${namespace} ${records}`;
    const all = await fixture.history.list({ namespace: null, before: null, limit: 100 });
    assert.deepEqual(all.entries.map(short), [
      'delete-namespace n 3',
      'delete  2',
      'update  2',
      'upsert n 3',
      'create-namespace n 0',
      'upsert  100',
      'create-namespace  0',
    ]);
    const own = await fixture.history.list({ namespace: '', before: null, limit: 2 });
    assert.deepEqual(own.entries.map(short), ['delete  2', 'update  2']);
    const rest = await fixture.history.list({ namespace: '', before: own.next, limit: 9 });
    assert.deepEqual(rest.entries.map(short), ['upsert  100', 'create-namespace  0']);
    assert.equal(rest.next, null);
    await fixture.close();
  });

  it('lists in turns, between which other work of the thread comes, and writes that are not listed', async (test) => {
    const fixture = new HistoryFixture(test);
    for (let at = 0; at < 20; at++) await fixture.upsert('', at, 1);
    const page = { namespace: null, before: null, limit: 100 };
    const expected = await fixture.history.list(page);
    assert.equal(expected.entries.length, 21);
    let turns = 0;
    const count = () => {
      turns++;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const listing = fixture.history.list(page);
    await fixture.upsert('', 50, 1);
    assert.deepEqual(await listing, expected);
    clearImmediate(immediate);
    // A turn of the fixture is over at once.
    assert.ok(turns >= 20);
    await fixture.close();
  });
});
