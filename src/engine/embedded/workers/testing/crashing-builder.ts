// A builder thread for tests that dies once, at its third job. Its successor records in a file that it got there.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { BuildPause, QueryLoad } from '../../indexing/builds/build-pause.ts';
import { BuilderThread } from '../../indexing/builds/builder-thread.ts';
import { observeJobs } from '../../indexing/builds/testing/observe-jobs.ts';
import type { ThreadStart } from '../protocol.ts';
import { serveBuilder } from '../serve-thread.ts';

const DEADLY_JOB = 3;

const { number, queryLoad, dataDir } = workerData as ThreadStart;
const thread = new BuilderThread(new BuildPause(new QueryLoad(queryLoad), { number, stepsBack: true }));
const died = join(dataDir, 'builder-died');
let jobs = 0;
serveBuilder(thread, (port) =>
  observeJobs(port, () => {
    if (++jobs !== DEADLY_JOB) return;
    const isSuccessor = existsSync(died);
    writeFileSync(isSuccessor ? join(dataDir, 'builder-went-on') : died, '');
    if (!isSuccessor) process.exit(1);
  }),
);
