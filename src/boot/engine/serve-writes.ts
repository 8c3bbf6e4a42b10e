// Serves a writer thread: joins the data surfaces' write endpoints to the embedded engine.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { reportError, serveRequests } from '../../engine/embedded/workers/thread-main.ts';
import { WriterThread } from '../../engine/embedded/workers/writer-thread.ts';
import { runTask } from './run-task.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const report = (requestId: string, error: unknown) => reportError(port, requestId, error);
const thread = new WriterThread(
  workerData as ThreadStart,
  (task, writer) => runTask(task, { writer, report }),
  (message) => port.postMessage(message),
);
serveRequests(port, (request) => thread.answer(request));
