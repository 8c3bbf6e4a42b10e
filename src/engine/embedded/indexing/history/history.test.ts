// Guarantees of the history of an index: any namespace returns to any moment that is kept, whatever was written since.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../../platform/testing/until.ts';
import { assertFault } from '../../../conformance/harness.ts';
import { type BatchPage, oldestBatch } from '../../storage/history/history-table.ts';
import { effort } from '../../testing/effort.ts';
import {
  HistoryFixture,
  HOUR_MS,
  IDS,
  NAMESPACES,
  type NamespaceState,
  randomWrites,
} from '../../testing/history-fixture.ts';

const FEED = { namespace: null, limit: 10 };
const OPTIONS = { seed: 71, numRuns: effort({ daily: 25, long: 1_000 }) };

interface Moment {
  readonly lsn: number;
  readonly ms: number;
  readonly states: ReadonlyMap<string, NamespaceState>;
}

async function momentOf(fixture: HistoryFixture): Promise<Moment> {
  const states = new Map<string, NamespaceState>();
  for (const name of NAMESPACES) states.set(name, await fixture.state(name));
  return { lsn: fixture.lsn, ms: fixture.now, states };
}

describe('the way back', () => {
  it('takes a namespace to any moment, after any writes and restarts, and forward again', async (test) => {
    await fc.assert(
      fc.asyncProperty(
        randomWrites,
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        async (list, at, restart, isByTime) => {
          const fixture = new HistoryFixture(test);
          const moments = [await momentOf(fixture)];
          for (const [i, each] of list.entries()) {
            await fixture.write(each);
            moments.push(await momentOf(fixture));
            if (i === restart % list.length) await fixture.reopen();
          }
          const chosen = moments[at % moments.length];
          const last = moments.at(-1);
          assert.ok(chosen !== undefined && last !== undefined);
          const lsn = isByTime ? await fixture.history.lsnAt(chosen.ms) : chosen.lsn;
          assert.ok(lsn !== null);
          for (const name of NAMESPACES) {
            await fixture.rollBack(name, lsn);
            assert.deepEqual(await fixture.state(name), chosen.states.get(name));
          }
          for (const name of NAMESPACES) {
            await fixture.rollBack(name, last.lsn);
            assert.deepEqual(await fixture.state(name), last.states.get(name));
          }
          await fixture.close();
        },
      ),
      OPTIONS,
    );
  });

  it('keeps what others write after it has begun', async (test) => {
    const later = fc.record({
      kind: fc.constantFrom('upsert' as const, 'update' as const, 'deleteIds' as const),
      namespace: fc.constant(''),
      ids: fc.uniqueArray(fc.constantFrom(...IDS), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(randomWrites, later, fc.nat(), async (list, own, at) => {
        const fixture = new HistoryFixture(test);
        // Records that stay keep the namespace from being dropped by the later write, which would end the work.
        await fixture.upsert('', 100, 1);
        const moments = [await momentOf(fixture)];
        for (const each of list) {
          if (each.kind !== 'deleteNamespace') await fixture.write({ ...each, namespace: '' });
          moments.push(await momentOf(fixture));
        }
        const chosen = moments[at % moments.length];
        const begun = fixture.lsn;
        const before = await fixture.state('');
        await fixture.write(own);
        const after = await fixture.state('');
        await fixture.rollBack('', chosen?.lsn ?? 0, { begun });
        const [then, now] = [chosen?.states.get(''), await fixture.state('')];
        for (const id of IDS) {
          const of = (state: NamespaceState | undefined) => state?.records.find((record) => record.id === id);
          const wasWritten = own.kind === 'upsert' || of(before) !== undefined ? own.ids.includes(id) : false;
          assert.deepEqual(of(now), of(wasWritten ? after : then), id);
        }
        await fixture.close();
      }),
      OPTIONS,
    );
  });

  it('leaves a namespace that was not there then where something refers to it', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 1);
    const { lsn } = fixture;
    await fixture.upsert('n', 0, 3);
    const { left } = await fixture.rollBack('n', lsn, { isNeeded: true });
    assert.equal(left, 'needed');
    assert.equal((await fixture.state('n'))?.count, 3);
    await fixture.rollBack('n', lsn);
    assert.equal(await fixture.state('n'), null);
    await fixture.close();
  });

  for (const isDropped of [false, true])
    it(`goes on after a crash in the middle of a ${isDropped ? 'dropped' : 'changed'} namespace`, async (test) => {
      const fixture = new HistoryFixture(test);
      const ids = Array.from({ length: 200 }, (_, i) => `r${i}`);
      await fixture.upsert('', 0, 200);
      const then = await fixture.state('', ids);
      const to = fixture.lsn;
      await fixture.upsert('', 100, 200);
      if (isDropped) await fixture.index.writer.deleteNamespace('');
      else await fixture.index.writer.deleteIds('', ids.slice(0, 50));
      const request = { key: 'job', namespace: '', to, begun: fixture.lsn };
      for (let i = 0; i < 3; i++) assert.equal((await fixture.history.rollBack(request, 0)).isDone, false);
      assert.notDeepEqual(await fixture.state('', ids), then);
      await fixture.reopen();
      let calls = 0;
      while (!(await fixture.history.rollBack(request, 0)).isDone) calls++;
      assert.ok(calls > 0);
      assert.deepEqual(await fixture.state('', ids), then);
      await fixture.close();
    });

  for (const wasThere of [true, false])
    it(`keeps what others write to a namespace made since the moment, ${wasThere ? 'in place of another' : 'the first of its name'}`, async (test) => {
      const fixture = new HistoryFixture(test);
      const ids = Array.from({ length: 200 }, (_, i) => `r${i}`);
      const idsOf = async () => (await fixture.state('', ids))?.records.map(({ id }) => id).sort() ?? [];
      if (wasThere) await fixture.upsert('', 0, 40);
      await fixture.upsert('other', 0, 1);
      const to = fixture.lsn;
      if (wasThere) await fixture.index.writer.deleteNamespace('');
      await fixture.upsert('', 20, 80);
      const begun = fixture.lsn;
      await fixture.upsert('', 100, 20);
      const request = { key: 'job', namespace: '', to, begun };
      assert.equal((await fixture.history.rollBack(request, 0)).isDone, false);
      await fixture.reopen();
      while (!(await fixture.history.rollBack(request, 0)).isDone);
      const kept = ids.slice(100, 120);
      assert.deepEqual(await idsOf(), [...(wasThere ? ids.slice(0, 40) : []), ...kept].sort());
      await fixture.close();
    });

  it('begins with a short step, however much a deleted namespace has', async (test) => {
    const fixture = new HistoryFixture(test);
    const ids = Array.from({ length: 1_000 }, (_, i) => `r${i}`);
    for (let i = 0; i < 10; i++) await fixture.upsert('', 100 * i, 100);
    const then = await fixture.state('', ids);
    const to = fixture.lsn;
    for (let i = 0; i < 10; i++) await fixture.upsert('', 100 * i, 100);
    await fixture.index.writer.deleteNamespace('');
    const { records, history } = fixture.index.parts.files.store;
    const [list, get] = [records.list.bind(records), history.get.bind(history)];
    const read = { records: 0, batches: 0 };
    records.list = function* (...args) {
      for (const record of list(...args)) {
        read.records++;
        yield record;
      }
    };
    history.get = (position) => {
      read.batches++;
      return get(position);
    };
    const request = { key: 'job', namespace: '', to, begun: fixture.lsn };
    const shares: number[] = [];
    for (let isDone = false; !isDone; ) {
      const before = { ...read };
      const progress = await fixture.history.rollBack(request, 0);
      ({ isDone } = progress);
      shares.push(progress.share);
      const [recordsRead, batchesRead] = [read.records - before.records, read.batches - before.batches];
      assert.ok(recordsRead <= 32 && batchesRead <= 32, `${recordsRead} records, ${batchesRead} batches`);
    }
    assert.deepEqual(
      shares,
      shares.toSorted((a, b) => a - b),
    );
    assert.deepEqual(await fixture.state('', ids), then);
    await fixture.close();
  });

  it('lists the batches of a namespace in pages of any size', async (test) => {
    const fixture = new HistoryFixture(test);
    for (let i = 0; i < 30; i++) await fixture.upsert(i % 3 === 0 ? 'n' : '', i, 40);
    const { store } = fixture.index.parts.files;
    store.refresh();
    const range = { upTo: fixture.lsn - 2, namespaceId: store.namespaces.get('')?.namespaceId ?? -1 };
    const expected = Array.from(store.history.batches({ after: 3, ...range }), ({ seq, part }) => [
      seq,
      part,
    ]);
    assert.ok(expected.length > 10);
    for (const batchesMax of [1, 2, 7, 1_000]) {
      const found: number[][] = [];
      let page: BatchPage = { positions: [], next: { seq: 4, part: 0, namespaceId: 0 } };
      while (page.next !== null) {
        page = store.history.page(page.next, range, batchesMax);
        found.push(...page.positions.map(({ seq, part }) => [seq, part]));
      }
      assert.deepEqual(found, expected);
    }
    await fixture.close();
  });

  it('ends where others delete the namespace meanwhile', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 200);
    const to = fixture.lsn;
    await fixture.upsert('', 0, 200);
    const request = { key: 'job', namespace: '', to, begun: fixture.lsn };
    await fixture.history.rollBack(request, 0);
    await fixture.index.writer.deleteNamespace('');
    assert.equal((await fixture.history.rollBack(request)).isDone, true);
    assert.equal(await fixture.state(''), null);
    await fixture.close();
  });
});

describe('a moment', () => {
  it('is answered right or refused, wherever the clock was ahead and set back', async (test) => {
    const step = fc.record({ isAhead: fc.boolean(), isReopened: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
        const fixture = new HistoryFixture(test);
        let real = fixture.now;
        const written = [{ ms: real, lsn: fixture.lsn, isSure: true }];
        for (const { isAhead, isReopened } of steps) {
          const isSure = !isAhead && written.every((each) => each.isSure);
          fixture.now = real + (isAhead ? 12 * HOUR_MS : 0);
          await fixture.upsert('', 0, 2);
          real += 1_000;
          written.push({ ms: real, lsn: fixture.lsn, isSure });
          if (isReopened) await fixture.reopen();
        }
        fixture.now = real;
        for (const { ms, lsn, isSure } of written)
          if (isSure) assert.equal(await fixture.history.lsnAt(ms), lsn);
          else await assertFault('invalid-argument', fixture.history.lsnAt(ms));
        await fixture.close();
      }),
      OPTIONS,
    );
  });

  it('is refused, too, when the clock has reached the time that it showed, and not behind it', async (test) => {
    const fixture = new HistoryFixture(test);
    await fixture.upsert('', 0, 2);
    const before = { ms: fixture.now, lsn: fixture.lsn };
    fixture.now += 3 * HOUR_MS;
    await fixture.upsert('', 0, 2);
    const ahead = fixture.now;
    fixture.now -= 3 * HOUR_MS;
    await fixture.upsert('', 0, 2);
    const back = { ms: fixture.now, lsn: fixture.lsn };
    fixture.now = ahead + HOUR_MS;
    await fixture.upsert('', 0, 2);
    assert.equal(await fixture.history.lsnAt(before.ms), before.lsn);
    for (const ms of [before.ms + 1, back.ms, ahead - 1])
      await assert.rejects(fixture.history.lsnAt(ms), /the clock was set back: .* name an LSN instead/);
    assert.equal(await fixture.history.lsnAt(ahead), back.lsn);
    assert.equal(await fixture.history.lsnAt(fixture.now), fixture.lsn);
    await fixture.close();
  });

  it('is not refused for a clock that is corrected by less than a second, however often', async (test) => {
    const fixture = new HistoryFixture(test);
    const written: { readonly ms: number; readonly lsn: number }[] = [];
    for (let i = 0; i < 50; i++) {
      fixture.now += i % 2 === 0 ? 5_000 : -900;
      await fixture.upsert('', 0, 2);
      if (i % 2 === 0) written.push({ ms: fixture.now, lsn: fixture.lsn });
    }
    fixture.now += 5_000;
    for (const { ms, lsn } of written) assert.equal(await fixture.history.lsnAt(ms - 1), lsn - 1);
    await fixture.close();
  });
});

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
