// The percentage of a job goes on as it runs, whatever the clock is set to.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStore } from '../catalog/port.ts';
import type { Job } from '../domain/jobs.ts';
import { RunningJob } from './running-job.ts';
import { CREATED_AT } from './testing/job-fixture.ts';

const JOB: Job = {
  ...{ id: 'job', kind: 'work', projectId: 'project-1', indexId: null, subject: null, state: 'Running' },
  ...{ percent: 0, input: null, progress: null, error: null, isCancelled: false, attempts: 1 },
  ...{ createdAt: CREATED_AT, startedAt: CREATED_AT, finishedAt: null },
};
const DAY_MS = 86_400_000;

test('writes percentages twice a second at most, also once the clock was set back', async ({ mock }) => {
  mock.timers.enable({ apis: ['Date'], now: 10 * DAY_MS });
  let steadyMs = 5;
  const written: number[] = [];
  const saveProgress: JobStore['saveProgress'] = async (_id, _owner, { percent }) => {
    written.push(percent);
    return true;
  };
  const run = new RunningJob({
    ...{ job: JOB, owner: 'me', attemptsMax: 3, store: { saveProgress }, steady: () => steadyMs },
    kind: {
      kind: 'work',
      run: async ({ percent }) => {
        percent(10);
        percent(11);
        mock.timers.setTime(DAY_MS);
        steadyMs += 499;
        percent(20);
        steadyMs += 1;
        percent(30);
      },
    },
  });
  await run.start(async ({ kind }) => assert.equal(kind, 'completed'));
  assert.deepEqual(written, [10, 30]);
});
