// Guarantees of branches in one thread: they answer as copies would, whatever is written on either side, whichever commit
// fails, and as of any moment of the past.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../../platform/testing/until.ts';
import { assertBranchedLikeModel } from '../../../conformance/compare-with-model.ts';
import { assertFault } from '../../../conformance/harness.ts';
import {
  allDifferences,
  type BranchedIndex,
  mergeAll,
  randomBranchCase,
} from '../../../conformance/random-branches.ts';
import { dense, where } from '../../../conformance/sample-data.ts';
import type { VectorReader } from '../../../port/reader-and-writer.ts';
import { openInProcess } from '../../in-process-index.ts';
import { BRANCH_PROFILE, openedForBranches, TURNS } from '../../testing/branch-fixture.ts';
import { effort } from '../../testing/effort.ts';
import { BOUNDS, HistoryFixture, HOUR_MS, IDS } from '../../testing/history-fixture.ts';
import { RandomRecords } from '../../testing/random-records.ts';
import { tempFolder } from '../../testing/temp-folder.ts';
import { failingCommit } from '../testing/failing-commit.ts';

const OPTIONS = { seed: 64, numRuns: effort({ daily: 40, long: 1_000 }) };

describe('branches', () => {
  for (const [where, options] of [
    ['on disk', { directRecordsMax: Number.POSITIVE_INFINITY }],
    ['on disk in slices', { directRecordsMax: Number.POSITIVE_INFINITY, scannedAtOnceMax: 0 }],
    ['in memory', { directRecordsMax: 0 }],
  ] as const)
    it(`answer as copies would, ${where}, after any writes to both sides`, async (test) => {
      await fc.assert(
        fc.asyncProperty(randomBranchCase, async (random) => {
          const index = openInProcess(random.profile, tempFolder(test), { ...options, turns: TURNS });
          const { reader, writer } = index;
          await assertBranchedLikeModel({ reader, writer, branches: writer.branches }, random);
          await index.close();
        }),
        OPTIONS,
      );
    });

  it('answer as copies would where each commit fails once, and after restarts', async (test) => {
    await fc.assert(
      fc.asyncProperty(randomBranchCase, fc.nat(), async (random, restart) => {
        const folder = tempFolder(test);
        let index = openInProcess(random.profile, folder, { turns: TURNS });
        // The model runs the operations once; the index has each fail before.
        const operations = random.operations.map((operation, i) => async (given: BranchedIndex) => {
          if (!('reader' in given)) return operation(given);
          if (i === restart % random.operations.length) {
            await index.close();
            index = openInProcess(random.profile, folder, { turns: TURNS });
          }
          const own = { writer: index.writer, branches: index.writer.branches };
          const mend = failingCommit(index);
          await Promise.resolve(operation(own)).catch(() => undefined);
          mend();
          return operation(own);
        });
        const tested = {
          get reader() {
            return index.reader;
          },
          get writer() {
            return index.writer;
          },
          get branches() {
            return index.writer.branches;
          },
        };
        await assertBranchedLikeModel(tested, { ...random, operations });
        await index.close();
      }),
      OPTIONS,
    );
  });

  it('answer as of moments as they did then, and go back to them, restarts included', async (test) => {
    const fixture = new HistoryFixture(test, BOUNDS, 0);
    const { index } = fixture;
    await fixture.upsert('', 0, 40);
    await index.writer.branches.create({ source: '', name: 'n', asOf: null });
    const moments: { readonly lsn: number; readonly answers: unknown }[] = [];
    const query = { ...fixture.query('n'), topK: 8, includeMetadata: true };
    const answersOf = async (reader: VectorReader) => [
      await reader.fetch('n', IDS),
      await reader.query(query),
      await reader.listIds({ namespace: 'n', prefix: '', limit: 100, after: null }),
      (await reader.describeNamespace('n'))?.recordCount,
    ];
    const note = async () => {
      moments.push({ lsn: fixture.lsn, answers: await answersOf(fixture.index.reader) });
    };
    await note();
    for (const [kind, namespace] of [
      ['deleteIds', 'n'],
      ['upsert', ''],
      ['update', 'n'],
      ['deleteIds', ''],
      ['upsert', 'n'],
      ['deleteByFilter', 'n'],
    ] as const) {
      await fixture.write({ kind, namespace, ids: IDS.slice(moments.length % 3, 6) });
      await note();
    }
    while (!(await index.writer.branches.makeWhole('n')).isDone);
    await note();
    await fixture.reopen();
    for (const { lsn, answers } of moments)
      assert.deepEqual(await answersOf(fixture.index.reader.asOf({ lsn })), answers, `LSN ${lsn}`);
    const then = moments[2];
    assert.ok(then !== undefined);
    await fixture.rollBack('n', then.lsn);
    assert.deepEqual(await answersOf(fixture.index.reader), then.answers);
    await fixture.close();
  });

  it('are left alone by a way back that would lose them, and so is what has the name of a lost one', async (test) => {
    const fixture = new HistoryFixture(test);
    const { branches } = fixture.index.writer;
    const back = async (name: string, to: number) => (await fixture.rollBack(name, to)).left;
    await fixture.upsert('', 0, 8);
    const before = fixture.lsn;
    await branches.create({ source: '', name: 'n', asOf: null });
    await fixture.upsert('n', 0, 2);
    const [branch, withBranch] = [await fixture.state('n'), fixture.lsn];
    assert.equal(await back('n', before), 'shared-branch');
    assert.deepEqual(await fixture.state('n'), branch);
    await fixture.write({ kind: 'deleteNamespace', namespace: 'n', ids: [] });
    assert.equal(await back('n', withBranch), 'lost-branch');
    assert.equal(await fixture.state('n'), null);
    await fixture.upsert('n', 3, 4);
    const present = await fixture.state('n');
    assert.equal(await back('n', withBranch), 'lost-branch');
    assert.deepEqual(await fixture.state('n'), present);
    await fixture.write({ kind: 'deleteNamespace', namespace: 'n', ids: [] });
    const deleted = fixture.lsn;
    await branches.create({ source: '', name: 'n', asOf: null });
    while (!(await branches.makeWhole('n')).isDone);
    const [whole, withWhole] = [await fixture.state('n'), fixture.lsn];
    assert.equal(await back('n', deleted), null);
    assert.equal(await fixture.state('n'), null);
    assert.equal(await back('n', withWhole), null);
    assert.deepEqual(await fixture.state('n'), whole);
    await fixture.close();
  });

  it('begin as their source was at a moment', async (test) => {
    const fixture = new HistoryFixture(test, BOUNDS, 0);
    await fixture.upsert('', 0, 20);
    const { lsn } = fixture;
    const { reader, writer } = fixture.index;
    const ids = Array.from({ length: 20 }, (_, i) => `r${i}`);
    const then = await reader.fetch('', ids);
    await fixture.upsert('', 3, 4);
    await fixture.write({ kind: 'deleteIds', namespace: '', ids: ['r1', 'r2'] });
    await fixture.upsert('', 1, 1);
    await fixture.upsert('', 30, 2);
    const branch = await writer.branches.create({ source: '', name: 'n', asOf: lsn });
    assert.deepEqual([branch.records, branch.baseLsn], [20, lsn]);
    assert.deepEqual(await reader.fetch('n', [...ids, 'r30']), then);
    assert.deepEqual(
      (await allDifferences(writer.branches, 'n')).map(({ id, inSource }) => `${id} ${inSource}`),
      ['r1', 'r2', 'r3', 'r30', 'r31', 'r4', 'r5', 'r6'].map((id) => {
        if (id === 'r2') return `${id} deleted`;
        return id.length === 3 ? `${id} added` : `${id} changed`;
      }),
    );
    await assertFault('invalid-argument', writer.branches.create({ source: '', name: 'm', asOf: 1_000 }));
    await fixture.close();
  });

  it('find the best in all parts where most of a large source has changed', async (test) => {
    const { index, records } = openedForBranches(test);
    const { reader, writer } = index;
    for (let first = 0; first < 3_000; first += 500) await writer.upsert('', records.records(first, 500));
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    const query = { ...records.query('n'), topK: 20, sparse: null };
    const before = await reader.query(query);
    const ranked = (await reader.query({ ...query, topK: 3_000 })).map(({ id }) => id);
    for (const share of [10, 200, 2_500]) {
      await writer.deleteIds('', ranked.slice(0, share));
      assert.deepEqual(await reader.query(query), before, `${share} deleted from the source`);
    }
    await index.close();
  });

  it('outlive their source, become whole by themselves, and leave no records behind', async (test) => {
    const { index, records } = openedForBranches(test);
    const { reader, writer, parts } = index;
    await writer.upsert('', records.records(0, 50));
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    await writer.branches.create({ source: 'n', name: 'of-n', asOf: null });
    const ids = Array.from({ length: 50 }, (_, i) => `r${i}`);
    const then = await reader.fetch('', ids);
    await writer.deleteNamespace('');
    await writer.deleteNamespace('n');
    assert.deepEqual(await reader.fetch('of-n', ids), then);
    assert.equal((await writer.branches.list())[0]?.state, 'detached');
    await until(async () => (await writer.branches.list()).length === 0, 'the branch becoming whole');
    assert.deepEqual(await reader.fetch('of-n', ids), then);
    const left = () => {
      parts.files.store.refresh();
      return [...parts.files.store.garbage.getKeys()].length;
    };
    await until(() => left() === 0, 'the removal of the records');
    assert.equal((await reader.describeNamespace('of-n'))?.recordCount, 50);
    await index.close();
  });

  it('keep a source that has no records for a while, which goes with the last of them', async (test) => {
    const { index } = openedForBranches(test);
    const { reader, writer } = index;
    const record = dense('r1', [1, 1, 1, 1], { until: 10 });
    const merge = () => mergeAll(writer.branches, 'n', 'branch');
    await writer.upsert('s', [record]);
    await writer.branches.create({ source: 's', name: 'n', asOf: null });
    for (const empty of [
      () => writer.deleteIds('s', ['r1']),
      () => writer.deleteByFilter('s', where('until', { op: 'compare', relation: 'gt', bound: 0 })),
      async () => {
        while (!(await writer.removeExpired({ field: 'until', now: 15, recordsMax: 10 })).isDone);
      },
      async () => {
        await merge();
        await writer.upsert('n', [record]);
        await merge();
        await writer.deleteIds('n', ['r1']);
        await merge();
      },
    ]) {
      await writer.upsert('s', [record]);
      await empty();
      assert.equal((await reader.describeNamespace('s'))?.recordCount, 0);
      assert.notEqual((await writer.branches.list())[0]?.state, 'detached');
    }
    await writer.deleteNamespace('n');
    assert.equal(await reader.describeNamespace('s'), null);
    await index.close();
  });

  it('let expired records of the source expire, too', async (test) => {
    const { index } = openedForBranches(test);
    const { reader, writer } = index;
    const records = [1, 2, 3].map((n) => dense(`r${n}`, [n, 1, 1, 1], { until: n * 10 }));
    await writer.upsert('', records);
    await writer.removeExpired({ field: 'until', now: 0, recordsMax: 10 });
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    await writer.removeExpired({ field: 'until', now: 15, recordsMax: 10 });
    const filter = where('until', { op: 'compare', relation: 'gt', bound: 0 });
    assert.equal(await reader.count('', filter), 2);
    assert.equal(await reader.count('n', filter), 2);
    await index.close();
  });

  it('are refused beyond their bounds', async (test) => {
    const { index, records } = openedForBranches(test);
    const { writer } = index;
    await writer.upsert('', records.records(0, 3));
    const create = (source: string, name: string) => writer.branches.create({ source, name, asOf: null });
    await assertFault('namespace-not-found', create('none', 'n'));
    await assertFault('namespace-exists', create('', ''));
    let last = '';
    for (const name of ['d1', 'd2', 'd3', 'd4']) {
      await create(last, name);
      last = name;
    }
    await assertFault('invalid-argument', create(last, 'd5'));
    for (let i = 0; i < 28; i++) await create('', `b${i}`);
    await assertFault('invalid-argument', create('', 'one-more'));
    await assertFault('branch-not-found', writer.branches.makeWhole('none'));
    await index.close();
  });

  it('give way to others while they pass what they have deleted', async (test) => {
    let taken = 0;
    const take = (turn: () => boolean) => {
      taken++;
      TURNS.take(turn);
    };
    const index = openInProcess(BRANCH_PROFILE, tempFolder(test), { turns: { ...TURNS, take } });
    const { writer } = index;
    await writer.upsert('', new RandomRecords(BRANCH_PROFILE, 7).records(0, 500));
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    await writer.deleteIds(
      'n',
      Array.from({ length: 500 }, (_, i) => `r${i}`),
    );
    const before = taken;
    await writer.deleteByFilter('n', where('part', { op: 'in', values: [0, 1, 2, 3] }));
    assert.ok(taken - before > 500 / 32, `${taken - before} turns`);
    assert.equal((await writer.branches.makeWhole('n', 0)).isDone, false);
    while (!(await writer.branches.makeWhole('n')).isDone);
    assert.equal((await index.reader.describeNamespace('n'))?.recordCount, 0);
    await index.close();
  });

  it('keep their past where the source was dropped, for as long as the history reaches back', async (test) => {
    const fixture = new HistoryFixture(test);
    const { reader, writer, parts } = fixture.index;
    await fixture.upsert('', 0, 8);
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    await fixture.write({ kind: 'deleteNamespace', namespace: '', ids: [] });
    fixture.now += 2 * HOUR_MS;
    const [{ lsn }, then] = [fixture, await reader.fetch('n', IDS)];
    await fixture.write({ kind: 'upsert', namespace: 'n', ids: IDS });
    while (!(await writer.branches.makeWhole('n')).isDone);
    // The drop is not in the history any more, what was written to the branch still is.
    fixture.now += 23 * HOUR_MS;
    await until(async () => {
      await fixture.upsert('m', 0, 1);
      parts.files.store.refresh();
      return parts.files.store.garbage.getKeysCount() === 0;
    }, 'the removal of the records of the source');
    await fixture.upsert('m', 100, 50);
    assert.deepEqual(await reader.asOf({ lsn }).fetch('n', IDS), then);
    await fixture.rollBack('n', lsn);
    assert.deepEqual(await reader.fetch('n', IDS), then);
    await fixture.close();
  });
});
