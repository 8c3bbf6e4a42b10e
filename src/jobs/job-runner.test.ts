// Jobs run one at a time and to their end, whatever crashes meanwhile.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Catalog, JobStore } from '../catalog/port.ts';
import { openCatalog } from '../catalog/sqlite/open-catalog.ts';
import type { Job, NewJob } from '../domain/jobs.ts';
import { inTime } from '../platform/testing/until.ts';
import { JobRunner, type JobRunnerOptions } from './job-runner.ts';
import { JobFailure, type JobKind, JobPostponed, type JobRun } from './port.ts';

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** A promise that the test settles. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Runs until it is aborted. */
function endless({ signal }: JobRun): Promise<void> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The store of a process that can be killed; its later calls have no effect. */
function crashing(store: JobStore): { readonly store: JobStore; die(): void } {
  let isDead = false;
  const handler: ProxyHandler<JobStore> = {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...given: readonly unknown[]) =>
        isDead ? new Promise(() => undefined) : Reflect.apply(method, target, given);
    },
  };
  return {
    store: new Proxy(store, handler),
    die: () => {
      isDead = true;
    },
  };
}

describe('job runner', () => {
  let catalog: Catalog;
  let runners: JobRunner[] = [];
  let failures: unknown[] = [];
  let count = 0;

  beforeEach(async () => {
    catalog = await openCatalog({ path: ':memory:' });
    runners = [];
    failures = [];
  });

  afterEach(async () => {
    for (const runner of runners) await runner.close();
    await catalog.close();
  });

  async function runnerOf(kinds: readonly JobKind[], options: Partial<JobRunnerOptions> = {}) {
    const runner = new JobRunner({
      store: catalog.jobs,
      parallelMax: 2,
      retryMs: 1,
      onFailure: (error) => failures.push(error),
      ...options,
    });
    runners.push(runner);
    await runner.start(kinds);
    return runner;
  }

  function newJob(fields: Partial<NewJob> = {}): NewJob {
    count += 1;
    const about = { projectId: 'project-1', indexId: null, subject: null, createdAt: CREATED_AT };
    return { id: `job-${count}`, kind: 'work', input: null, ...about, ...fields };
  }

  /** Waits for the end of the job and returns it. */
  async function ended({ id, kind, projectId }: NewJob): Promise<Job> {
    for (;;) {
      const job = await catalog.jobs.find({ id, kind, projectId });
      if (job === null || job.finishedAt !== null) return job ?? assert.fail('the job is gone');
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  async function cancelAndDecide(runner: JobRunner, { id, kind, projectId }: NewJob, isUndone: boolean) {
    await runner.cancel(id);
    await runner.decided(id);
    const job = await catalog.jobs.find({ id, kind, projectId });
    assert.ok(job !== null);
    const states = isUndone ? ['Undoing', 'Cancelled'] : ['Completed'];
    assert.ok(states.includes(job.state) && (!isUndone || job.isCancelled), job.state);
  }

  test('runs a job with its input, and records when it ended', async () => {
    const seen: unknown[] = [];
    const runner = await runnerOf([
      {
        kind: 'work',
        run: async ({ job, percent }) => {
          seen.push(job.input);
          percent(50);
        },
      },
    ]);
    const job = newJob({ input: { pages: 3 }, indexId: 'index-1', subject: 'backup-1' });
    assert.equal((await runner.enqueue(job)).state, 'Pending');
    const done = await ended(job);
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
    const runner = await runnerOf([slow, { kind: 'quick', run: async () => undefined }]);
    const jobs = Array.from({ length: 6 }, () => newJob());
    for (const job of jobs) await runner.enqueue(job);
    const quick = newJob({ kind: 'quick' });
    await runner.enqueue(quick);
    assert.equal((await ended(quick)).state, 'Completed');
    assert.equal(running, 2);
    open();
    for (const job of jobs) assert.equal((await ended(job)).state, 'Completed');
    assert.equal(most, 2);
  });

  test('retries a failure from the last checkpoint, then undoes the job and reports the reason', async () => {
    const starts: unknown[] = [];
    const undone: unknown[] = [];
    const runner = await runnerOf([
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
    const job = newJob();
    await runner.enqueue(job);
    const { state, error, attempts, progress } = await ended(job);
    assert.deepEqual([state, error, attempts, progress], ['Failed', 'disk 3', 5, { files: 3 }]);
    assert.deepEqual(starts, [null, { files: 1 }, { files: 2 }]);
    assert.deepEqual(undone, Array(3).fill([{ files: 3 }, 'Failed']));
    assert.equal(failures.length, 5);
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
      const job = newJob({ indexId: 'a' });
      await catalog.jobs.insert(job);
      if (isCancelled) await catalog.jobs.cancel(job.id);
      const runner = await runnerOf([kind]);
      const { state, error } = await inTime(ended(job), 'the end of the job');
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
    const runner = await runnerOf([kind]);
    const job = newJob();
    await runner.enqueue(job);
    const { state, error, attempts } = await ended(job);
    assert.deepEqual([state, error, attempts], ['Failed', 'no such file', 1]);
  });

  test('tries a postponed job until it can run, counts none of that, and reports each reason once', async () => {
    let tries = 0;
    const run = async () => {
      tries++;
      // More often than a failing job is retried.
      if (tries < 6) throw new JobPostponed(`the model is away: ${Math.floor(tries / 3)}`);
    };
    const runner = await runnerOf([{ kind: 'work', run }]);
    const job = newJob();
    await runner.enqueue(job);
    const { state, error, attempts } = await ended(job);
    assert.deepEqual([state, error, attempts, tries, failures.length], ['Completed', null, 1, 6, 2]);
  });

  test('tells once of a job that has failed for good, and of none that is retried or cancelled', async () => {
    const told: string[] = [];
    const onProgress = ({ id }: Job, event: string) => {
      if (event === 'failed') told.push(id);
    };
    const hopeless = newJob({ kind: 'hopeless' });
    const retried = newJob({ kind: 'retried' });
    const cancelled = newJob({ kind: 'endless' });
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
    const runner = await runnerOf(kinds, { onProgress });
    assert.deepEqual(runner.kinds, ['hopeless', 'retried', 'endless']);
    for (const job of [hopeless, retried, cancelled]) await runner.enqueue(job);
    assert.equal((await ended(hopeless)).state, 'Failed');
    assert.equal((await ended(retried)).state, 'Completed');
    await runner.cancel(cancelled.id);
    assert.equal((await ended(cancelled)).state, 'Cancelled');
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
    const runner = await runnerOf([{ kind: 'deaf', run }]);
    await runner.enqueue(newJob({ kind: 'deaf' }));
    await inTime(started.promise, 'the run');
    await inTime(runner.close(AbortSignal.abort()), 'the end');
    release.resolve();
    await runner.close();
  });

  test('undoes a cancelled job that runs, never starts one that waits, and leaves one that has ended', async () => {
    const undone: unknown[] = [];
    const started = gate();
    const runner = await runnerOf(
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
    const [first, second, quick] = [newJob(), newJob(), newJob({ kind: 'quick' })];
    for (const job of [first, second, quick]) await runner.enqueue(job);
    await started.opened;
    await ended(quick);
    for (const job of [second, first, quick]) await cancelAndDecide(runner, job, job !== quick);
    assert.deepEqual([(await ended(first)).state, (await ended(first)).attempts], ['Cancelled', 1]);
    assert.deepEqual([(await ended(second)).state, (await ended(second)).attempts], ['Cancelled', 0]);
    assert.equal((await ended(quick)).state, 'Completed');
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
    const runner = await runnerOf([{ kind: 'work', run }]);
    const job = newJob();
    await runner.enqueue(job);
    await started.opened;
    setImmediate(finish.open);
    await cancelAndDecide(runner, job, false);
    assert.equal((await ended(job)).state, 'Completed');
  });

  test('completes a cancelled job whose work turns out to be done', async () => {
    const run = async () => assert.fail('must not run');
    const job = newJob();
    await catalog.jobs.insert(job);
    await catalog.jobs.cancel(job.id);
    await runnerOf([{ kind: 'work', run, beforeUndo: async () => 'completed', undo: run }]);
    assert.deepEqual([(await ended(job)).state, failures], ['Completed', []]);
  });

  test('stores what is noted before an undo, for when it is repeated', async () => {
    const seen: unknown[] = [];
    const job = newJob();
    await catalog.jobs.insert(job);
    await catalog.jobs.cancel(job.id);
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
    await runnerOf([work]);
    assert.equal((await ended(job)).state, 'Cancelled');
    assert.deepEqual(seen, [null, { isRemoving: true }]);
  });

  test('does not wait for the undo of a cancelled job', async () => {
    const [started, undone] = [gate(), gate()];
    const run = (given: JobRun): Promise<void> => {
      started.open();
      return endless(given);
    };
    const runner = await runnerOf([{ kind: 'work', run, undo: () => undone.opened }]);
    const job = newJob();
    await runner.enqueue(job);
    await started.opened;
    await cancelAndDecide(runner, job, true);
    await cancelAndDecide(runner, job, true);
    undone.open();
    assert.equal((await ended(job)).state, 'Cancelled');
  });

  test('resumes a job that a shutdown interrupted, without counting the shutdown', async () => {
    const started = gate();
    const first = await runnerOf([
      {
        kind: 'work',
        run: async (run) => {
          await run.checkpoint('half');
          started.open();
          return endless(run);
        },
      },
    ]);
    const job = newJob();
    await first.enqueue(job);
    await started.opened;
    await first.close();
    const seen: unknown[] = [];
    await runnerOf([
      {
        kind: 'work',
        run: async ({ job: again }) => {
          seen.push(again.progress);
        },
      },
    ]);
    const { state, attempts } = await ended(job);
    assert.deepEqual([state, attempts, seen], ['Completed', 1, ['half']]);
  });

  test('resumes jobs at once that a clock which was ahead had stopped, or had wait', async () => {
    const hourAhead = new Date(Date.now() + 3_600_000).toISOString();
    for (const dueAt of [null, hourAhead]) {
      const job = await catalog.jobs.insert(newJob());
      await catalog.jobs.claim({ owner: 'me', kinds: ['work'], now: hourAhead, leaseUntil: hourAhead });
      await catalog.jobs.release(
        job.id,
        'me',
        { kind: 'again', dueAt, counts: true, error: null },
        hourAhead,
      );
      const ended = gate();
      const runner = await runnerOf([{ kind: 'work', run: async () => ended.open() }]);
      await inTime(ended.opened, 'the run');
      await runner.close();
    }
  });

  test('limits the starts of a job that crashes its process, then undoes it', async () => {
    const job = newJob();
    const undone: string[] = [];
    const workThat = (begins: () => void): JobKind => ({
      kind: 'work',
      run: () => {
        begins();
        return new Promise<never>(() => undefined);
      },
      undo: async (_, outcome) => {
        undone.push(outcome);
      },
    });
    await catalog.jobs.insert(job);
    for (let life = 1; life <= 3; life += 1) {
      const running = gate();
      const { store, die } = crashing(catalog.jobs);
      await runnerOf([workThat(running.open)], { store });
      await running.opened;
      // Forgotten rather than closed, like a killed process. One that lived on would claim the job beside its successor.
      die();
      runners.pop();
    }
    await runnerOf([workThat(() => assert.fail('it has killed three processes'))]);
    const { state, error } = await ended(job);
    assert.deepEqual([state, error], ['Failed', 'The server stopped 3 times while the job was running.']);
    assert.deepEqual(undone, ['Failed']);
  });

  test('keeps a cancellation when the process that received it crashes', async () => {
    const job = newJob();
    await catalog.jobs.insert(job);
    const claim = { owner: 'dead', kinds: ['work'], now: CREATED_AT, leaseUntil: '2999-01-01T00:00:00.000Z' };
    assert.equal((await catalog.jobs.claim(claim))?.id, job.id);
    await catalog.jobs.cancel(job.id);
    const undone: string[] = [];
    await runnerOf([
      {
        kind: 'work',
        run: () => assert.fail('it was cancelled'),
        undo: async (_, outcome) => {
          undone.push(outcome);
        },
      },
    ]);
    assert.equal((await ended(job)).state, 'Cancelled');
    assert.deepEqual(undone, ['Cancelled']);
  });

  test('keeps other runners away until the lease expires, and writes nothing without one', async () => {
    await catalog.jobs.insert(newJob());
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
    const claim = (owner: string, minute: number) =>
      catalog.jobs.claim({ owner, kinds: ['work'], now: at(minute), leaseUntil: at(minute + 2) });
    const first = await claim('one', 0);
    assert.ok(first !== null);
    assert.equal(await claim('two', 1), null);
    assert.deepEqual(
      await catalog.jobs.renew([first.id], { owner: 'one', leaseUntil: at(5) }),
      new Map([[first.id, false]]),
    );
    assert.equal(await claim('two', 4), null);
    assert.equal((await claim('two', 5))?.attempts, 2);
    assert.deepEqual(await catalog.jobs.renew([first.id], { owner: 'one', leaseUntil: at(9) }), new Map());
    assert.equal(await catalog.jobs.saveProgress(first.id, 'one', { percent: 99, progress: 'lost' }), false);
    await catalog.jobs.release(first.id, 'one', { kind: 'completed' }, at(6));
    const [job] = await catalog.jobs.active({ kind: 'work' });
    assert.deepEqual([job?.state, job?.percent, job?.progress], ['Running', 0, null]);
  });

  test('runs a job once at a time, whatever the clock does', async (context) => {
    const running = gate();
    let runs = 0;
    const work: JobKind = {
      kind: 'work',
      run: (run) => {
        runs += 1;
        running.open();
        return endless(run);
      },
    };
    const runner = await runnerOf([work, { kind: 'quick', run: async () => undefined }]);
    await runner.enqueue(newJob());
    await running.opened;
    const hourAhead = Date.now() + 3_600_000;
    context.mock.method(Date, 'now', () => hourAhead);
    const quick = newJob({ kind: 'quick' });
    await runner.enqueue(quick);
    await ended(quick);
    assert.equal(runs, 1);
  });

  test('ends a run whose job another process has taken, at its next checkpoint and before it begins others', async (context) => {
    for (const notices of ['checkpoint', 'look'] as const) {
      const [running, taken, over] = [gate(), gate(), gate()];
      const done: string[] = [];
      const kind = notices;
      const runner = await runnerOf([
        {
          kind,
          run: async (run) => {
            running.open();
            await taken.opened;
            try {
              await (notices === 'look' ? endless(run) : run.checkpoint('mine'));
              done.push('published');
            } finally {
              over.open();
            }
          },
        },
      ]);
      const job = newJob({ kind });
      await runner.enqueue(job);
      await inTime(running.opened, 'the run');
      const later = new Date(Date.now() + 60_000).toISOString();
      const claim = { owner: 'other', kinds: [kind], now: later, leaseUntil: '2999-01-01T00:00:00.000Z' };
      assert.equal((await catalog.jobs.claim(claim))?.id, job.id);
      taken.open();
      if (notices === 'look') {
        const now = Date.parse(later);
        context.mock.method(Date, 'now', () => now);
        runner.wake();
      }
      await inTime(over.opened, 'the end of the run');
      await runner.close();
      const [left] = await catalog.jobs.active({ kind });
      assert.deepEqual([done, left?.state, left?.progress], [[], 'Running', null]);
    }
  });

  test('ends the jobs of an index before it is deleted, and leaves those of other indexes', async () => {
    const ends: string[] = [];
    const runner = await runnerOf([
      {
        kind: 'work',
        run: endless,
        undo: async ({ indexId }) => {
          ends.push(String(indexId));
        },
      },
    ]);
    const [mine, alsoMine, other] = [
      newJob({ indexId: 'a' }),
      newJob({ indexId: 'a' }),
      newJob({ indexId: 'b' }),
    ];
    for (const job of [mine, alsoMine, other]) await runner.enqueue(job);
    await runner.endJobsOf('a');
    assert.deepEqual(ends, ['a', 'a']);
    assert.deepEqual(
      (await catalog.jobs.active({})).map(({ id }) => id),
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
    const runner = await runnerOf(kinds, { parallelMax: 1 });
    const [begun, waiting] = [newJob({ indexId: 'a' }), newJob({ indexId: 'a', kind: 'full' })];
    for (const job of [newJob({ indexId: 'b', kind: 'full' }), begun, waiting]) await runner.enqueue(job);
    await inTime(running.opened, 'the run');
    await inTime(runner.endJobsOf('a'), 'ending the jobs');
    const active = await catalog.jobs.active({ indexId: 'a' });
    assert.deepEqual(
      active.map(({ state }) => state),
      ['Undoing', 'Undoing'],
    );
    undoing.open();
    assert.equal((await ended(begun)).state, 'Cancelled');
    assert.equal(tries, 3);
  });

  test('does not wait for a job that ends while the list is read', async () => {
    const { opened, open } = gate();
    const job = newJob({ indexId: 'a' });
    const store = new Proxy(catalog.jobs, {
      get: (target, name) => {
        if (name !== 'active') return Reflect.get(target, name).bind(target);
        return async (filter: Parameters<JobStore['active']>[0]) => {
          const left = await target.active(filter);
          open();
          await ended(job);
          return left;
        };
      },
    });
    const runner = await runnerOf([{ kind: 'work', run: () => opened }], { store });
    await runner.enqueue(job);
    await inTime(runner.endJobsOf('a'), 'ending the jobs');
  });

  test('gives the indexes of jobs turns, however many one of them has waiting', async () => {
    const order: (string | null)[] = [];
    const many = Array.from({ length: 20 }, () => newJob({ indexId: 'many' }));
    const few = [newJob({ indexId: 'few' }), newJob({ indexId: 'few' }), newJob()];
    for (const job of [...many, ...few]) await catalog.jobs.insert(job);
    const work = { kind: 'work', run: async ({ job }: JobRun) => void order.push(job.indexId) };
    await runnerOf([work], { parallelMax: 1 });
    for (const job of [...few, ...many]) await ended(job);
    assert.equal(order.length, 23);
    assert.ok(order.lastIndexOf('few') <= 5 && order.indexOf(null) <= 5, order.join());
  });
});
