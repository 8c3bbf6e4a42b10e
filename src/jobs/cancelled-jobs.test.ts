// Cancelled jobs are undone, unless their work turns out to be done.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { JobKind, JobRun } from './port.ts';
import { CREATED_AT, endless, gate, JobFixture } from './testing/job-fixture.ts';

describe('cancelled jobs', () => {
  let on: JobFixture;
  beforeEach(async () => {
    on = await JobFixture.open();
  });
  afterEach(() => on.close());

  test('undoes a cancelled job that runs, never starts one that waits, and leaves one that has ended', async () => {
    const undone: unknown[] = [];
    const started = gate();
    const runner = await on.runnerOf(
      [
        {
          kind: 'work',
          run: (run) => {
            started.open();
            return endless(run);
          },
          undo: async ({ id }, outcome) => {
            undone.push([id, outcome]);
          },
        },
        { kind: 'quick', run: async () => undefined },
      ],
      { parallelMax: 1 },
    );
    const [first, second, quick] = [on.newJob(), on.newJob(), on.newJob({ kind: 'quick' })];
    for (const job of [first, second, quick]) await runner.enqueue(job);
    await started.opened;
    await on.ended(quick);
    for (const job of [second, first, quick]) await on.cancelAndDecide(runner, job, job !== quick);
    assert.deepEqual([(await on.ended(first)).state, (await on.ended(first)).attempts], ['Cancelled', 1]);
    assert.deepEqual([(await on.ended(second)).state, (await on.ended(second)).attempts], ['Cancelled', 0]);
    assert.equal((await on.ended(quick)).state, 'Completed');
    assert.deepEqual(undone.sort(), [
      [first.id, 'Cancelled'],
      [second.id, 'Cancelled'],
    ]);
  });

  test('leaves a cancelled job to a run that completes it, and decides so before it answers', async () => {
    const [started, finish] = [gate(), gate()];
    const run = async (): Promise<void> => {
      started.open();
      await finish.opened;
    };
    const runner = await on.runnerOf([{ kind: 'work', run }]);
    const job = on.newJob();
    await runner.enqueue(job);
    await started.opened;
    setImmediate(finish.open);
    await on.cancelAndDecide(runner, job, false);
    assert.equal((await on.ended(job)).state, 'Completed');
  });

  test('undoes a job that a run completes after it was cancelled, where its kind asks for that', async () => {
    const running = gate();
    const completing = gate();
    const undone: unknown[] = [];
    const runner = await on.runnerOf([
      {
        kind: 'work',
        undoesCompleted: true,
        run: async ({ job }) => {
          running.open();
          if (job.input !== null) await completing.opened;
        },
        undo: async (_, outcome) => void undone.push(outcome),
      },
    ]);
    const late = on.newJob({ input: 'late' });
    await runner.enqueue(late);
    await running.opened;
    await runner.cancel(late.id);
    completing.open();
    assert.equal((await on.ended(late)).state, 'Cancelled');
    assert.deepEqual(undone, ['Cancelled']);
    const other = on.newJob();
    await runner.enqueue(other);
    assert.equal((await on.ended(other)).state, 'Completed');
  });

  test('completes a cancelled job whose work turns out to be done', async () => {
    const run = async () => assert.fail('must not run');
    const job = on.newJob();
    await on.catalog.jobs.insert(job);
    await on.catalog.jobs.cancel(job.id);
    await on.runnerOf([{ kind: 'work', run, beforeUndo: async () => 'completed', undo: run }]);
    assert.deepEqual([(await on.ended(job)).state, on.failures], ['Completed', []]);
  });

  test('stores what is noted before an undo, for when it is repeated', async () => {
    const seen: unknown[] = [];
    const job = on.newJob();
    await on.catalog.jobs.insert(job);
    await on.catalog.jobs.cancel(job.id);
    const work: JobKind = {
      kind: 'work',
      run: async () => undefined,
      beforeUndo: async ({ progress }) => {
        seen.push(progress);
        return { isRemoving: true };
      },
      undo: async () => {
        if (seen.length === 1) throw new Error('still there');
      },
    };
    await on.runnerOf([work]);
    assert.equal((await on.ended(job)).state, 'Cancelled');
    assert.deepEqual(seen, [null, { isRemoving: true }]);
  });

  test('does not wait for the undo of a cancelled job', async () => {
    const [started, undone] = [gate(), gate()];
    const run = (given: JobRun): Promise<void> => {
      started.open();
      return endless(given);
    };
    const runner = await on.runnerOf([{ kind: 'work', run, undo: () => undone.opened }]);
    const job = on.newJob();
    await runner.enqueue(job);
    await started.opened;
    await on.cancelAndDecide(runner, job, true);
    await on.cancelAndDecide(runner, job, true);
    undone.open();
    assert.equal((await on.ended(job)).state, 'Cancelled');
  });

  test('keeps a cancellation when the process that received it crashes', async () => {
    const job = on.newJob();
    await on.catalog.jobs.insert(job);
    const claim = { owner: 'dead', kinds: ['work'], now: CREATED_AT, leaseUntil: '2999-01-01T00:00:00.000Z' };
    assert.equal((await on.catalog.jobs.claim(claim))?.id, job.id);
    await on.catalog.jobs.cancel(job.id);
    const undone: string[] = [];
    await on.runnerOf([
      {
        kind: 'work',
        run: () => assert.fail('it was cancelled'),
        undo: async (_, outcome) => {
          undone.push(outcome);
        },
      },
    ]);
    assert.equal((await on.ended(job)).state, 'Cancelled');
    assert.deepEqual(undone, ['Cancelled']);
  });
});
