// Entry of a builder thread: works on graphs for the writer threads.
import { workerData } from 'node:worker_threads';
import { BuildPause, QueryLoad } from '../../engine/embedded/indexing/builds/build-pause.ts';
import { BuilderThread } from '../../engine/embedded/indexing/builds/builder-thread.ts';
import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { serveBuilder } from '../../engine/embedded/workers/serve-thread.ts';
import { takePriority } from '../../platform/thread-priority.ts';

const { number, queryLoad } = workerData as ThreadStart;
const stepsBack = takePriority('builder');
serveBuilder(new BuilderThread(new BuildPause(new QueryLoad(queryLoad), { number, stepsBack })));
