// Jobs run to their end, whatever crashes meanwhile and whatever clocks do.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { inTime } from '../platform/testing/until.ts';
import type { JobKind } from './port.ts';
import { crashing, endless, gate, JobFixture } from './testing/job-fixture.ts';

describe('interrupted jobs', () => {
  let on: JobFixture;
  beforeEach(async () => {
    on = await JobFixture.open();
  });
  afterEach(() => on.close());

  test('resumes a job that a shutdown interrupted, without counting the shutdown', async () => {
    const started = gate();
    const first = await on.runnerOf([
      {
        kind: 'work',
        run: async (run) => {
          await run.checkpoint('half');
          started.open();
          return endless(run);
        },
      },
    ]);
    const job = on.newJob();
    await first.enqueue(job);
    await started.opened;
    await first.close();
    const seen: unknown[] = [];
    await on.runnerOf([
      {
        kind: 'work',
        run: async ({ job: again }) => {
          seen.push(again.progress);
        },
      },
    ]);
    const { state, attempts } = await on.ended(job);
    assert.deepEqual([state, attempts, seen], ['Completed', 1, ['half']]);
  });

  test('resumes jobs at once that a clock which was ahead had stopped, or had wait', async () => {
    const hourAhead = new Date(Date.now() + 3_600_000).toISOString();
    for (const dueAt of [null, hourAhead]) {
      const job = await on.catalog.jobs.insert(on.newJob());
      await on.catalog.jobs.claim({ owner: 'me', kinds: ['work'], now: hourAhead, leaseUntil: hourAhead });
      await on.catalog.jobs.release(
        job.id,
        'me',
        { kind: 'again', dueAt, counts: true, error: null },
        hourAhead,
      );
      const ended = gate();
      const runner = await on.runnerOf([{ kind: 'work', run: async () => ended.open() }]);
      await inTime(ended.opened, 'the run');
      await runner.close();
    }
  });

  test('keeps other runners away until the lease expires, and writes nothing without one', async () => {
    await on.catalog.jobs.insert(on.newJob());
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
    const claim = (owner: string, minute: number) =>
      on.catalog.jobs.claim({ owner, kinds: ['work'], now: at(minute), leaseUntil: at(minute + 2) });
    const first = await claim('one', 0);
    assert.ok(first !== null);
    assert.equal(await claim('two', 1), null);
    assert.deepEqual(
      await on.catalog.jobs.renew([first.id], { owner: 'one', leaseUntil: at(5) }),
      new Map([[first.id, false]]),
    );
    assert.equal(await claim('two', 4), null);
    assert.equal((await claim('two', 5))?.attempts, 2);
    assert.deepEqual(await on.catalog.jobs.renew([first.id], { owner: 'one', leaseUntil: at(9) }), new Map());
    assert.equal(
      await on.catalog.jobs.saveProgress(first.id, 'one', { percent: 99, progress: 'lost' }),
      false,
    );
    await on.catalog.jobs.release(first.id, 'one', { kind: 'completed' }, at(6));
    const [job] = await on.catalog.jobs.active({ kind: 'work' });
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
    const runner = await on.runnerOf([work, { kind: 'quick', run: async () => undefined }]);
    await runner.enqueue(on.newJob());
    await running.opened;
    const hourAhead = Date.now() + 3_600_000;
    context.mock.method(Date, 'now', () => hourAhead);
    const quick = on.newJob({ kind: 'quick' });
    await runner.enqueue(quick);
    await on.ended(quick);
    assert.equal(runs, 1);
  });

  test('ends a run whose job another process has taken, at its next checkpoint and before it begins others', async (context) => {
    for (const notices of ['checkpoint', 'look'] as const) {
      const [running, taken, over] = [gate(), gate(), gate()];
      const done: string[] = [];
      const kind = notices;
      const runner = await on.runnerOf([
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
      const job = on.newJob({ kind });
      await runner.enqueue(job);
      await inTime(running.opened, 'the run');
      const later = new Date(Date.now() + 60_000).toISOString();
      const claim = { owner: 'other', kinds: [kind], now: later, leaseUntil: '2999-01-01T00:00:00.000Z' };
      assert.equal((await on.catalog.jobs.claim(claim))?.id, job.id);
      taken.open();
      if (notices === 'look') {
        const now = Date.parse(later);
        context.mock.method(Date, 'now', () => now);
        runner.wake();
      }
      await inTime(over.opened, 'the end of the run');
      await runner.close();
      const [left] = await on.catalog.jobs.active({ kind });
      assert.deepEqual([done, left?.state, left?.progress], [[], 'Running', null]);
    }
  });

  test('limits the starts of a job that crashes its process, then undoes it', async () => {
    const job = on.newJob();
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
    await on.catalog.jobs.insert(job);
    for (let life = 1; life <= 3; life += 1) {
      const running = gate();
      const { store, die } = crashing(on.catalog.jobs);
      await on.runnerOf([workThat(running.open)], { store });
      await running.opened;
      // Forgotten rather than closed, like a killed process. One that lived on would claim the job beside its successor.
      die();
      on.forget();
    }
    await on.runnerOf([workThat(() => assert.fail('it has killed three processes'))]);
    const { state, error } = await on.ended(job);
    assert.deepEqual([state, error], ['Failed', 'The server stopped 3 times while the job was running.']);
    assert.deepEqual(undone, ['Failed']);
  });
});
