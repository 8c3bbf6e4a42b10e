// Entry of a builder thread: works on graphs for the writer threads.

import { BuildPause, QueryLoad } from '../../engine/embedded/indexing/builds/build-pause.ts';
import { BuilderThread } from '../../engine/embedded/indexing/builds/builder-thread.ts';
import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { serveBuilder } from '../../engine/embedded/workers/serve-thread.ts';
import { takePriority } from '../../platform/thread-priority.ts';
import { startData } from '../../platform/worker-channel/start-data.ts';

const { number, queryLoad } = startData<ThreadStart>();
const stepsBack = takePriority('builder');
serveBuilder(new BuilderThread(new BuildPause(new QueryLoad(queryLoad), { number, stepsBack })));
