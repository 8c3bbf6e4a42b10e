// A builder thread that dies, or hangs as on a lock of a dead thread, at jobs of certain efConstruction values; for tests.
import { isMainThread, workerData } from 'node:worker_threads';
import type { ThreadStart } from '../../../workers/protocol.ts';
import { serveBuilder } from '../../../workers/serve-thread.ts';
import { BuildPause, QueryLoad } from '../build-pause.ts';
import { BuilderThread } from '../builder-thread.ts';
import { observeJobs } from './observe-jobs.ts';

export const DEADLY_EF = 13;
export const HANGING_EF = 14;

// The test imports the constants.
if (!isMainThread) {
  const { number, queryLoad } = workerData as ThreadStart;
  const thread = new BuilderThread(new BuildPause(new QueryLoad(queryLoad), { number, stepsBack: true }));
  serveBuilder(thread, (port) =>
    observeJobs(port, (job) => {
      if (!('efConstruction' in job) || job.kind === 'consolidate-deletes') return;
      // Throwing would end the thread only after the next listener had done the job.
      if (job.efConstruction === DEADLY_EF) process.exit(1);
      while (job.efConstruction === HANGING_EF);
    }),
  );
}
