// Branches of namespaces through the port of whole engines.
import assert from 'node:assert/strict';
import { type CheckEngine, RECORDS } from './engine-fixture.ts';
import { assertFault, idsOf, listAll } from './harness.ts';
import { allDifferences, mergeAll } from './random-branches.ts';
import { readable } from './same-records.ts';
import { dense } from './sample-data.ts';

const IDS = idsOf(RECORDS);

export function branching(check: CheckEngine): void {
  check('branches a namespace, tells both apart, and merges them', async ({ engine, one }) => {
    await engine.createIndex(one);
    if (!engine.capabilities.branches) return assert.throws(() => engine.branches(one));
    const [reader, writer, branches] = [engine.reader(one), engine.writer(one), engine.branches(one)];
    await writer.upsert('a', RECORDS);
    const created = await branches.create({ source: 'a', name: 'b', asOf: null });
    assert.deepEqual([created.source, created.records, created.changedRecords], ['a', RECORDS.length, 0]);
    await writer.upsert('b', [dense('r10', [9, 9, 9, 9]), dense('new', [1, 1, 1, 1])]);
    await writer.deleteIds('b', ['r11', 'r12']);
    await writer.upsert('a', [dense('r12', [8, 8, 8, 8]), dense('r13', [7, 7, 7, 7])]);
    assert.equal((await listAll(reader, 'b')).items.length, RECORDS.length - 1);
    assert.deepEqual(await allDifferences(branches, 'b'), [
      { id: 'new', inBranch: 'added', inSource: null },
      { id: 'r10', inBranch: 'changed', inSource: null },
      { id: 'r11', inBranch: 'deleted', inSource: null },
      { id: 'r12', inBranch: 'deleted', inSource: 'changed' },
      { id: 'r13', inBranch: null, inSource: 'changed' },
    ]);
    const [branch] = await branches.list();
    assert.deepEqual(
      [branch?.name, branch?.changedRecords, branch?.deletedRecords, branch?.changedInSource],
      ['b', 4, 2, 2],
    );
    const kept = await mergeAll(branches, 'b', 'fail');
    assert.deepEqual([kept.written, kept.deleted, kept.conflicts], [2, 1, 1]);
    assert.equal((await reader.fetch('a', ['r12'])).length, 1);
    const won = await mergeAll(branches, 'b', 'branch');
    assert.deepEqual([won.written, won.deleted, won.conflicts], [0, 1, 1]);
    assert.deepEqual(idsOf(await allDifferences(branches, 'b')), ['r13']);
    await assertFault('branch-not-found', branches.differences({ branch: 'a', after: null, limit: 1 }));
  });

  check(
    'tells what branches share, so that they count alike before and after they become whole',
    async ({ engine, one }) => {
      await engine.createIndex(one);
      if (!engine.capabilities.branches) return;
      const [writer, branches] = [engine.writer(one), engine.branches(one)];
      const counted = async () => {
        const { records, shared } = await engine.sizeOf(one);
        return records + (shared?.records ?? 0);
      };
      await writer.upsert('a', RECORDS);
      assert.deepEqual([await counted(), (await engine.sizeOf(one)).shared], [RECORDS.length, undefined]);
      await branches.create({ source: 'a', name: 'b', asOf: null });
      await branches.create({ source: 'b', name: 'c', asOf: null });
      await writer.upsert('b', [dense('new', [1, 1, 1, 1])]);
      await writer.deleteIds('c', IDS.slice(0, 2));
      const expected = 3 * RECORDS.length + 1 - 2;
      assert.equal(await counted(), expected);
      for (const name of ['c', 'b']) while (!(await branches.makeWhole(name)).isDone);
      assert.equal(await counted(), expected);
      assert.deepEqual((await engine.sizeOf(one)).shared, undefined);
      await branches.create({ source: 'a', name: 'd', asOf: null });
      await writer.deleteNamespace('d');
      assert.equal(await counted(), expected);
    },
  );

  check('leaves out of differences and conflicts what has expired on every side', async ({ engine, one }) => {
    await engine.createIndex(one);
    if (!engine.capabilities.branches) return;
    const [writer, branches] = [engine.writer(one), engine.branches(one)];
    const ids = ['both', 'branch', 'source', 'never', 'gone'];
    await writer.upsert(
      'a',
      ids.map((id) => dense(id, [1, 1, 1, 1], { until: 9 })),
    );
    await branches.create({ source: 'a', name: 'b', asOf: null });
    const until = (values: readonly number[], moments: Readonly<Record<string, number>>) =>
      Object.entries(moments).map(([id, moment]) => dense(id, values, { until: moment }));
    await writer.upsert('b', until([2, 2, 2, 2], { both: 5, branch: 5, source: 9, never: 9 }));
    await writer.upsert('a', until([3, 3, 3, 3], { both: 4, branch: 9, source: 5, never: 9, gone: 5 }));
    await writer.deleteIds('b', ['gone']);
    const expiry = { field: 'until', now: 5 };
    const page = { branch: 'b', after: null, limit: 10 };
    assert.deepEqual(idsOf((await branches.differences(page)).differences), [...ids].sort());
    const { differences } = await branches.differences({ ...page, expiry });
    assert.deepEqual(idsOf(differences), ['branch', 'never', 'source']);
    const merged = await branches.merge({ key: 'live', branch: 'b', onConflict: 'source', expiry });
    assert.deepEqual([merged.isDone, merged.conflicts], [true, 2]);
  });

  check('gives records of a branch the lifetime of its source', async ({ engine, one }) => {
    const timeToLive = { field: 'until', seconds: 300, namespaces: { archive: null, own: 9 } };
    const profile = { ...one, timeToLive };
    await engine.createIndex(profile);
    if (!engine.capabilities.branches) return;
    const [writer, branches] = [engine.writer(profile, () => 1_000), engine.branches(profile)];
    await writer.upsert('archive', RECORDS);
    await branches.create({ source: 'archive', name: 'fix', asOf: null });
    await branches.create({ source: 'fix', name: 'fix-of-fix', asOf: null });
    await branches.create({ source: 'fix', name: 'own', asOf: null });
    const moments: Record<string, unknown> = {};
    for (const name of ['fix', 'fix-of-fix', 'own', 'other']) {
      await writer.upsert(name, [dense('new', [1, 1, 1, 1], { n: 1 })]);
      const [record] = await engine.reader(profile, () => 1_000).fetch(name, ['new']);
      moments[name] = JSON.parse(record?.metadataJson ?? '').until;
    }
    assert.deepEqual(moments, { fix: undefined, 'fix-of-fix': undefined, own: 1_009, other: 1_300 });
    await mergeAll(branches, 'fix', 'branch');
    const [merged] = await engine.reader(profile, () => 1_000_000).fetch('archive', ['new']);
    assert.equal(merged?.metadataJson, '{"n":1}');
  });

  for (const isRemoved of [false, true])
    check(
      `keeps in a merge what has expired in the branch alone${isRemoved ? ', and was removed there' : ''}`,
      async ({ engine, one }) => {
        await engine.createIndex(one);
        if (!engine.capabilities.branches) return;
        const [reader, writer, branches] = [engine.reader(one), engine.writer(one), engine.branches(one)];
        await writer.removeExpired({ field: 'until', now: 0, recordsMax: 9 });
        const until = (moment: number, ids: readonly string[]) =>
          ids.map((id) => dense(id, [1, 1, 1, 1], { until: moment }));
        await writer.upsert('a', until(90, ['left', 'renewed']));
        await branches.create({ source: 'a', name: 'b', asOf: null });
        await writer.upsert('b', until(5, ['added', 'left', 'renewed']));
        await writer.upsert('a', until(95, ['renewed']));
        const before = (await reader.fetch('a', ['left', 'renewed'])).map(readable);
        const expiry = { field: 'until', now: 9 };
        if (isRemoved) while (!(await writer.removeExpired({ ...expiry, recordsMax: 9 })).isDone);
        const merged = await branches.merge({ key: 'm', branch: 'b', onConflict: 'branch', expiry });
        assert.deepEqual([merged.written, merged.deleted, merged.conflicts], [0, 0, 0]);
        assert.deepEqual((await reader.fetch('a', ['added', 'left', 'renewed'])).map(readable), before);
        if (isRemoved)
          assert.deepEqual(
            (await branches.list()).map(({ changedRecords }) => changedRecords),
            [0],
          );
      },
    );

  check('copies branches with an index as namespaces of their own', async ({ engine, one, other }) => {
    await engine.createIndex(one);
    if (!engine.capabilities.branches) return;
    await engine.writer(one).upsert('a', RECORDS);
    await engine.branches(one).create({ source: 'a', name: 'b', asOf: null });
    await engine.writer(one).deleteIds('b', ['r10']);
    const copy = await engine.copies(one).export();
    async function* owned() {
      for await (const piece of copy.bytes) yield Uint8Array.from(piece);
    }
    await engine.copies(other).import(owned());
    await copy.release();
    const copied = await engine.reader(other).fetch('b', IDS);
    assert.deepEqual(copied.map(readable), RECORDS.slice(1).map(readable));
    const reading = await engine.copies(one).read({ namespace: 'b' });
    let count = 0;
    for await (const { records } of reading.batches) count += records.count;
    await reading.release();
    assert.equal(count, RECORDS.length - 1);
  });
}
