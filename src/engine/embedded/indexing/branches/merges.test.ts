// Guarantees of merges of branches in one thread: what they take over, beside what is written meanwhile.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertFault } from '../../../conformance/harness.ts';
import { allDifferences, mergeAll } from '../../../conformance/random-branches.ts';
import { dense, sampleQuery } from '../../../conformance/sample-data.ts';
import type { Branch } from '../../../port/index-branches.ts';
import { openedForBranches } from '../../testing/branch-fixture.ts';
import { HistoryFixture } from '../../testing/history-fixture.ts';

describe('merges of branches', () => {
  it('leave records alone in a merge that have expired in the branch, and live on in the source', async (test) => {
    const { index } = openedForBranches(test);
    const { reader, writer } = index;
    const { branches } = writer;
    const until = (moment: number, ids = ['r1', 'r2', 'r3']) =>
      ids.map((id) => dense(id, [1, 1, 1, 1], { until: moment }));
    const expire = async (now: number) => {
      while (!(await writer.removeExpired({ field: 'until', now, recordsMax: 10 })).isDone);
    };
    await writer.upsert('', until(10));
    await expire(0);
    await branches.create({ source: '', name: 'n', asOf: null });
    const renewed = until(30, ['r1', 'r2']);
    await writer.upsert('', renewed);
    // All that is left to copy is copied, but the branch is not whole yet.
    await branches.makeWhole('n', 0);
    await expire(15);
    assert.equal((await reader.describeNamespace('n'))?.recordCount, 0);
    assert.deepEqual(await reader.fetch('n', ['r1', 'r2', 'r3']), []);
    const counts = ({ changedRecords, deletedRecords }: Branch) => [changedRecords, deletedRecords];
    assert.deepEqual((await branches.list()).map(counts), [[0, 0]]);
    const expiry = { field: 'until', now: 15 };
    const page = { branch: 'n', after: null, limit: 10, expiry };
    assert.deepEqual(
      (await branches.differences(page)).differences.map(({ id, inBranch }) => [id, inBranch]),
      [
        ['r1', null],
        ['r2', null],
      ],
    );
    const merge = () => branches.merge({ key: 'm', branch: 'n', onConflict: 'branch', expiry });
    const merged = await merge();
    assert.deepEqual([merged.written, merged.deleted, merged.conflicts], [0, 0, 0]);
    assert.deepEqual(await reader.fetch('', ['r1', 'r2', 'r3']), renewed);
    // What the branch writes and deletes itself from then on is its own change.
    await writer.upsert('n', until(40, ['r1', 'r2']));
    await writer.deleteIds('n', ['r2']);
    assert.deepEqual((await branches.list()).map(counts), [[2, 1]]);
    assert.equal((await merge()).deleted, 1);
    assert.deepEqual(await reader.fetch('', ['r1', 'r2']), until(40, ['r1']));
    await index.close();
  });

  it('are merged with what others write meanwhile', async (test) => {
    const { index, records } = openedForBranches(test);
    const { reader, writer } = index;
    await writer.upsert('', records.records(0, 100));
    await writer.branches.create({ source: '', name: 'n', asOf: null });
    await writer.upsert('n', records.records(0, 100));
    const work = { key: 'one', branch: 'n', onConflict: 'source' as const };
    const first = await writer.branches.merge(work, 0);
    assert.equal(first.isDone, false);
    const late = records.records(99, 1);
    await writer.upsert('', late);
    while (!(await writer.branches.merge(work)).isDone);
    assert.deepEqual(await reader.fetch('', ['r99']), late);
    assert.deepEqual(
      (await allDifferences(writer.branches, 'n')).map(({ id }) => id),
      ['r99'],
    );
    await mergeAll(writer.branches, 'n', 'branch');
    assert.deepEqual(await allDifferences(writer.branches, 'n'), []);
    const query = sampleQuery({ values: Float32Array.of(1, 2, 3, 4), topK: 20 });
    assert.deepEqual(await reader.query({ ...query, namespace: 'n' }), await reader.query(query));
    await index.close();
  });

  it('are merged beside each other, each to its end', async (test) => {
    const { index, records } = openedForBranches(test);
    const { writer } = index;
    const { branches } = writer;
    await writer.upsert('', records.records(0, 100));
    for (const name of ['m', 'n']) {
      await branches.create({ source: '', name, asOf: null });
      await writer.upsert(name, records.records(0, 100));
    }
    await writer.upsert('', records.records(0, 100));
    const left = new Set(['m', 'n']);
    for (let rounds = 0; left.size > 0; rounds++) {
      assert.ok(rounds < 100, 'merges begin again and again');
      for (const branch of left) {
        const part = await branches.merge({ key: branch, branch, onConflict: 'source' }, 0);
        if (!part.isDone) continue;
        assert.equal(part.conflicts, 100);
        left.delete(branch);
      }
    }
    await index.close();
  });

  it('are not merged in place of one of their name that was dropped', async (test) => {
    const fixture = new HistoryFixture(test);
    const { branches } = fixture.index.writer;
    await fixture.upsert('', 0, 60);
    await fixture.upsert('other', 0, 3);
    const { createdMs } = await branches.create({ source: '', name: 'n', asOf: null });
    await fixture.upsert('n', 0, 60);
    const request = { key: 'one', branch: 'n', createdMs, onConflict: 'branch' as const };
    assert.equal((await branches.merge(request, 0)).isDone, false);
    await fixture.write({ kind: 'deleteNamespace', namespace: 'n', ids: [] });
    await branches.create({ source: 'other', name: 'n', asOf: null });
    await fixture.upsert('n', 0, 9);
    await assertFault('branch-not-found', branches.merge(request));
    assert.equal((await fixture.state('other'))?.count, 3);
    await fixture.close();
  });
});
