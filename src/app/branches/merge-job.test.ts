// The counts of a merge, whatever its runs are interrupted by.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Index } from '../../domain/index-model.ts';
import type { Job } from '../../domain/jobs.ts';
import { sampleProfile } from '../../engine/conformance/sample-data.ts';
import type { IndexBranches } from '../../engine/port/index-branches.ts';
import { runningJob } from '../../jobs/testing/running-job.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { MERGE_KIND, mergeJob, mergeOf } from './merge-job.ts';

const PROFILE = sampleProfile();
const RECORDS = 30;
const PART = 10;

/** Merges records part by part, and counts for each key what it has done, as engines do while they run. */
class Branches {
  readonly #written = new Map<string, number>();
  #left = RECORDS;

  readonly merge: IndexBranches['merge'] = async ({ key }) => {
    this.#left -= PART;
    const written = (this.#written.get(key) ?? 0) + PART;
    this.#written.set(key, written);
    const isDone = this.#left === 0;
    return { isDone, share: 1 - this.#left / RECORDS, written, deleted: 0, conflicts: 0 };
  };
}

test('a merge counts no record twice that goes on in the same process', async () => {
  const branches = new Branches();
  const input = { branch: 'b', onConflict: 'fail', begunLsn: 1, storageId: PROFILE.id };
  const names = { id: 'merge', kind: MERGE_KIND, projectId: PROFILE.projectId, indexId: PROFILE.id };
  let job: Job = runningJob({ ...names, input });
  const kind = mergeJob({
    engine: { branches: () => ({ ...untouched<IndexBranches>(), merge: branches.merge }) },
    profile: () => PROFILE,
    indexes: { byId: (): Index | undefined => undefined },
  });
  const run = (signal: AbortSignal, onCheckpoint: () => void) =>
    kind.run({
      ...{ job, signal, percent: () => undefined },
      checkpoint: async (progress) => {
        job = { ...job, progress };
        onCheckpoint();
      },
    });
  const stop = new AbortController();
  await assert.rejects(
    run(stop.signal, () => {
      if (mergeOf(job).written === PART) stop.abort(new Error('stopped'));
    }),
    /stopped/,
  );
  await run(new AbortController().signal, () => undefined);
  assert.equal(mergeOf(job).written, RECORDS);
});
