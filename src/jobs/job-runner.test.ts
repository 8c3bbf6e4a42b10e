// Jobs run one at a time and to their end: retried, postponed, undone.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Job } from '../domain/jobs.ts';
import { inTime } from '../platform/testing/until.ts';
import { JobFailure, type JobKind, JobPostponed } from './port.ts';
import { endless, gate, JobFixture } from './testing/job-fixture.ts';

describe('job runner', () => {
  let on: JobFixture;
  beforeEach(async () => {
    on = await JobFixture.open();
  });
  afterEach(() => on.close());

  test('runs a job with its input, and records when it ended', async () => {
    const seen: unknown[] = [];
    const runner = await on.runnerOf([
      {
        kind: 'work',
        run: async ({ job, percent }) => {
          seen.push(job.input);
          percent(50);
        },
      },
    ]);
    const job = on.newJob({ input: { pages: 3 }, indexId: 'index-1', subject: 'backup-1' });
    assert.equal((await runner.enqueue(job)).state, 'Pending');
    const done = await on.ended(job);
    assert.deepEqual(seen, [{ pages: 3 }]);
    assert.deepEqual([done.state, done.percent, done.attempts, done.error], ['Completed', 100, 1, null]);
    assert.ok(done.startedAt !== null && done.finishedAt !== null);
  });

  test('limits the parallel jobs of each kind separately', async () => {
    const { opened, open } = gate();
    let running = 0;
    let most = 0;
    const slow: JobKind = {
      kind: 'work',
      run: async () => {
        running += 1;
        most = Math.max(most, running);
        await opened;
        running -= 1;
      },
    };
    const runner = await on.runnerOf([slow, { kind: 'quick', run: async () => undefined }]);
    const jobs = Array.from({ length: 6 }, () => on.newJob());
    for (const job of jobs) await runner.enqueue(job);
    const quick = on.newJob({ kind: 'quick' });
    await runner.enqueue(quick);
    assert.equal((await on.ended(quick)).state, 'Completed');
    assert.equal(running, 2);
    open();
    for (const job of jobs) assert.equal((await on.ended(job)).state, 'Completed');
    assert.equal(most, 2);
  });

  test('retries a failure from the last checkpoint, then undoes the job and reports the reason', async () => {
    const starts: unknown[] = [];
    const undone: unknown[] = [];
    const runner = await on.runnerOf([
      {
        kind: 'work',
        run: async ({ job, checkpoint }) => {
          starts.push(job.progress);
          await checkpoint({ files: starts.length });
          throw new Error(`disk ${starts.length}`);
        },
        undo: async ({ progress }, outcome) => {
          undone.push([progress, outcome]);
          if (undone.length < 3) throw new Error('still there');
        },
      },
    ]);
    const job = on.newJob();
    await runner.enqueue(job);
    const { state, error, attempts, progress } = await on.ended(job);
    assert.deepEqual([state, error, attempts, progress], ['Failed', 'disk 3', 5, { files: 3 }]);
    assert.deepEqual(starts, [null, { files: 1 }, { files: 2 }]);
    assert.deepEqual(undone, Array(3).fill([{ files: 3 }, 'Failed']));
    assert.equal(on.failures.length, 5);
  });

  test('ends a job whose undo never works where its kind allows that, and lets its index go', async () => {
    for (const [isCancelled, tries] of [
      [false, 2],
      [true, 5],
    ] as const) {
      let undone = 0;
      const kind: JobKind = {
        kind: 'work',
        undoAttemptsMax: 2,
        run: () => Promise.reject(new Error('no answer')),
        undo: async () => {
          undone += 1;
          throw new Error('no answer either');
        },
      };
      const job = on.newJob({ indexId: 'a' });
      await on.catalog.jobs.insert(job);
      if (isCancelled) await on.catalog.jobs.cancel(job.id);
      const runner = await on.runnerOf([kind]);
      const { state, error } = await inTime(on.ended(job), 'the end of the job');
      assert.deepEqual(
        [state, error, undone],
        isCancelled ? ['Cancelled', null, tries] : ['Failed', 'no answer', tries],
      );
      await inTime(runner.endJobsOf('a'), 'ending the jobs');
      await runner.close();
    }
  });

  test('does not retry a permanent failure', async () => {
    const kind: JobKind = { kind: 'work', run: () => Promise.reject(new JobFailure('no such file')) };
    const runner = await on.runnerOf([kind]);
    const job = on.newJob();
    await runner.enqueue(job);
    const { state, error, attempts } = await on.ended(job);
    assert.deepEqual([state, error, attempts], ['Failed', 'no such file', 1]);
  });

  test('tries a postponed job until it can run, counts none of that, and reports each reason once', async () => {
    let tries = 0;
    const run = async () => {
      tries++;
      // More often than a failing job is retried.
      if (tries < 6) throw new JobPostponed(`the model is away: ${Math.floor(tries / 3)}`);
    };
    const runner = await on.runnerOf([{ kind: 'work', run }]);
    const job = on.newJob();
    await runner.enqueue(job);
    const { state, error, attempts } = await on.ended(job);
    assert.deepEqual([state, error, attempts, tries, on.failures.length], ['Completed', null, 1, 6, 2]);
  });

  test('tells once of a job that has failed for good, and of none that is retried or cancelled', async () => {
    const told: string[] = [];
    const onProgress = ({ id }: Job, event: string) => {
      if (event === 'failed') told.push(id);
    };
    const hopeless = on.newJob({ kind: 'hopeless' });
    const retried = on.newJob({ kind: 'retried' });
    const cancelled = on.newJob({ kind: 'endless' });
    const kinds: readonly JobKind[] = [
      { kind: 'hopeless', attemptsMax: 2, run: () => Promise.reject(new Error('again in vain')) },
      {
        kind: 'retried',
        run: async ({ job }) => {
          if (job.attempts < 2) throw new Error('once');
        },
      },
      { kind: 'endless', run: endless },
    ];
    const runner = await on.runnerOf(kinds, { onProgress });
    assert.deepEqual(runner.kinds, ['hopeless', 'retried', 'endless']);
    for (const job of [hopeless, retried, cancelled]) await runner.enqueue(job);
    assert.equal((await on.ended(hopeless)).state, 'Failed');
    assert.equal((await on.ended(retried)).state, 'Completed');
    await runner.cancel(cancelled.id);
    assert.equal((await on.ended(cancelled)).state, 'Cancelled');
    await runner.close();
    assert.deepEqual(told, [hopeless.id]);
  });

  test('leaves a run that ignores its signal to the next start, at the deadline of its end', async () => {
    const release = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    const run = () => {
      started.resolve();
      return release.promise;
    };
    const runner = await on.runnerOf([{ kind: 'deaf', run }]);
    await runner.enqueue(on.newJob({ kind: 'deaf' }));
    await inTime(started.promise, 'the run');
    await inTime(runner.close(AbortSignal.abort()), 'the end');
    release.resolve();
    await runner.close();
  });
});
