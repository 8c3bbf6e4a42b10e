// Entry of a builder thread: works on graphs for the writer threads.
import { parentPort, workerData } from 'node:worker_threads';
import { BuildPause, QueryLoad } from '../../engine/embedded/indexing/builds/build-pause.ts';
import { BuilderThread } from '../../engine/embedded/indexing/builds/builder-thread.ts';
import type { ThreadAnswer, ThreadRequest, ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { serveRequests } from '../../engine/embedded/workers/thread-main.ts';
import { takePriority } from '../../platform/thread-priority.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const { number, queryLoad } = workerData as ThreadStart;
const stepsBack = takePriority('builder');
const thread = new BuilderThread(new BuildPause(new QueryLoad(queryLoad), { number, stepsBack }));
serveRequests(port, async (request: ThreadRequest): Promise<ThreadAnswer> => {
  const { callId, type } = request;
  if (type === 'join') thread.serve(request.port);
  else if (type !== 'close') throw new Error(`builder threads take no '${type}' requests`);
  return { callId, type: 'done' };
});
