// A reader thread for tests that dies on request, while it has pinned an epoch.
import { workerData } from 'node:worker_threads';
import { unpackRequest } from '../../../../boot/engine/request-details.ts';
import { runTask } from '../../../../boot/engine/run-task.ts';
import { takePriority } from '../../../../platform/thread-priority.ts';
import { Epochs } from '../../memory/epochs.ts';
import type { ThreadStart } from '../protocol.ts';
import { ReaderThread } from '../reader-thread.ts';
import { reportError, serveReader } from '../serve-thread.ts';
import { dieIfRequested } from './deaths.ts';

const start = workerData as ThreadStart;
const epochs = new Epochs(start.epochs);
const thread = new ReaderThread(start, async (task, access) => {
  const { params } = unpackRequest(task);
  if (params.die !== undefined) epochs.pin(start.number);
  await dieIfRequested(task, start.dataDir);
  epochs.unpin(start.number);
  if (params.epochs !== undefined) {
    const body = JSON.stringify({ current: epochs.advance(), oldest: epochs.oldestPinned() });
    return { answer: { status: 200, headers: {}, body }, isFailure: false };
  }
  return runTask(task, { ...access, report: (requestId, error) => reportError(server, requestId, error) });
});
takePriority('reader');
const server = serveReader(thread);
