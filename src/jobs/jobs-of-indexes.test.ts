// Jobs end before their index goes, and indexes take turns.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { JobStore } from '../catalog/port.ts';
import { inTime } from '../platform/testing/until.ts';
import type { JobRun } from './port.ts';
import { endless, gate, JobFixture } from './testing/job-fixture.ts';

describe('jobs of indexes', () => {
  let on: JobFixture;
  beforeEach(async () => {
    on = await JobFixture.open();
  });
  afterEach(() => on.close());

  test('ends the jobs of an index before it is deleted, and leaves those of other indexes', async () => {
    const ends: string[] = [];
    const runner = await on.runnerOf([
      {
        kind: 'work',
        run: endless,
        undo: async ({ indexId }) => {
          ends.push(String(indexId));
        },
      },
    ]);
    const [mine, alsoMine, other] = [
      on.newJob({ indexId: 'a' }),
      on.newJob({ indexId: 'a' }),
      on.newJob({ indexId: 'b' }),
    ];
    for (const job of [mine, alsoMine, other]) await runner.enqueue(job);
    await runner.endJobsOf('a');
    assert.deepEqual(ends, ['a', 'a']);
    assert.deepEqual(
      (await on.catalog.jobs.active({})).map(({ id }) => id),
      [other.id],
    );
  });

  test('waits for no undo that does not need the index, and goes on with it until it succeeds', async () => {
    const [running, undoing] = [gate(), gate()];
    let tries = 0;
    const kind = {
      run: (run: JobRun) => {
        if (run.job.indexId === 'a') running.open();
        return endless(run);
      },
      undo: async () => {
        tries++;
        await undoing.opened;
        if (tries < 3) throw new Error('The storage does not answer.');
      },
      undoNeedsIndex: false,
    };
    const kinds = [
      { kind: 'work', ...kind },
      { kind: 'full', ...kind },
    ];
    const runner = await on.runnerOf(kinds, { parallelMax: 1 });
    const [begun, waiting] = [on.newJob({ indexId: 'a' }), on.newJob({ indexId: 'a', kind: 'full' })];
    for (const job of [on.newJob({ indexId: 'b', kind: 'full' }), begun, waiting]) await runner.enqueue(job);
    await inTime(running.opened, 'the run');
    await inTime(runner.endJobsOf('a'), 'ending the jobs');
    const active = await on.catalog.jobs.active({ indexId: 'a' });
    assert.deepEqual(
      active.map(({ state }) => state),
      ['Undoing', 'Undoing'],
    );
    undoing.open();
    assert.equal((await on.ended(begun)).state, 'Cancelled');
    assert.equal(tries, 3);
  });

  test('does not wait for a job that ends while the list is read', async () => {
    const { opened, open } = gate();
    const job = on.newJob({ indexId: 'a' });
    const store = new Proxy(on.catalog.jobs, {
      get: (target, name) => {
        if (name !== 'active') return Reflect.get(target, name).bind(target);
        return async (filter: Parameters<JobStore['active']>[0]) => {
          const left = await target.active(filter);
          open();
          await on.ended(job);
          return left;
        };
      },
    });
    const runner = await on.runnerOf([{ kind: 'work', run: () => opened }], { store });
    await runner.enqueue(job);
    await inTime(runner.endJobsOf('a'), 'ending the jobs');
  });

  test('gives the indexes of jobs turns, however many one of them has waiting', async () => {
    const order: (string | null)[] = [];
    const many = Array.from({ length: 20 }, () => on.newJob({ indexId: 'many' }));
    const few = [on.newJob({ indexId: 'few' }), on.newJob({ indexId: 'few' }), on.newJob()];
    for (const job of [...many, ...few]) await on.catalog.jobs.insert(job);
    const work = { kind: 'work', run: async ({ job }: JobRun) => void order.push(job.indexId) };
    await on.runnerOf([work], { parallelMax: 1 });
    for (const job of [...few, ...many]) await on.ended(job);
    assert.equal(order.length, 23);
    assert.ok(order.lastIndexOf('few') <= 5 && order.indexOf(null) <= 5, order.join());
  });
});
