// The job that undoes: what a retry would meet again ends it at once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Fault, fault } from '../../domain/faults.ts';
import { profileOf } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import type { IndexHistory } from '../../engine/port/index-history.ts';
import { JobFailure, type JobRun } from '../../jobs/port.ts';
import { NEW_INDEX } from '../indexes/testing/control-plane.ts';
import { UNDO_KIND, undoJob } from './undo-job.ts';

const PROFILE = profileOf({
  ...NEW_INDEX,
  ...{ id: 'index-1', projectId: 'project-1', state: 'Ready', port: null, createdAt: '' },
});
const INPUT = { namespace: 'n', toLsn: 1, begunLsn: 2, storageId: PROFILE.id };

function runFailingBy(error: Fault): Promise<void> {
  const unused = () => assert.fail('not called');
  const history: IndexHistory = {
    ...{ describe: unused, list: unused, feed: unused, lsnAt: unused, changedNamespaces: unused },
    rollBack: () => Promise.reject(error),
  };
  const run: JobRun = {
    job: { id: 'job-1', kind: UNDO_KIND, indexId: PROFILE.id, input: INPUT, progress: null } as Job,
    signal: new AbortController().signal,
    percent: unused,
    checkpoint: unused,
  };
  return undoJob({ engine: { history: () => history }, profile: () => PROFILE }).run(run);
}

it('ends at once where records are damaged or the index is gone, and is repeated after other faults', async () => {
  const { name } = PROFILE;
  for (const error of [
    fault('record-damaged', { name }),
    fault('index-damaged', { name }),
    fault('index-not-found', { name }),
  ])
    await assert.rejects(runFailingBy(error), JobFailure);
  const passing = fault('shutting-down');
  await assert.rejects(runFailingBy(passing), (error) => error === passing);
});
