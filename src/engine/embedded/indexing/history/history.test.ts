// Guarantees of the history of an index: any namespace returns to any moment that is kept, whatever was written since.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertFault } from '../../../conformance/harness.ts';
import type { BatchPage } from '../../storage/history/history-table.ts';
import { effort } from '../../testing/effort.ts';
import {
  HistoryFixture,
  HOUR_MS,
  IDS,
  NAMESPACES,
  type NamespaceState,
  randomWrites,
} from '../../testing/history-fixture.ts';

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

  it('lists the latest changes before any later write, also one that no index reaches', async (test) => {
    const fixture = new HistoryFixture(test);
    for (let i = 0; i < 5; i++) await fixture.upsert('', i, 3);
    const page = (before: number | null) => fixture.history.list({ namespace: null, before, limit: 3 });
    const latest = await page(null);
    assert.equal(latest.entries.length, 3);
    const later = [fixture.lsn + 1, fixture.lsn + 100, 2 ** 48 - 1, 2 ** 48, 999_999_999_999_999];
    for (const before of [...later, Number.MAX_SAFE_INTEGER])
      assert.deepEqual(await page(before), latest, `${before}`);
    assert.notDeepEqual(await page(fixture.lsn), latest);
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
