// Serves a reader thread: joins the data surfaces' read endpoints to the embedded engine.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { ReaderThread } from '../../engine/embedded/workers/reader-thread.ts';
import { reportError, serveRequests, tellWait } from '../../engine/embedded/workers/thread-main.ts';
import { runTask } from './run-task.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const report = (requestId: string, error: unknown) => reportError(port, requestId, error);
const thread = new ReaderThread(workerData as ThreadStart, (task, reader) =>
  runTask(task, { reader, report }),
);
serveRequests(port, (request) => tellWait(port, request.callId, thread.answer(request)));
