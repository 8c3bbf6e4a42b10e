// Serves a writer thread: joins the data surfaces' write endpoints to the embedded engine.
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { reportError, serveRequests } from '../../engine/embedded/workers/thread-main.ts';
import { WriterThread } from '../../engine/embedded/workers/writer-thread.ts';
import { runCall } from './run-call.ts';

const port = parentPort;
if (port === null) throw new Error('this file is the entry of a worker thread');
const thread = new WriterThread(
  workerData as ThreadStart,
  (call, writer) => runCall(call, { writer, onError: (error) => reportError(port, call.requestId, error) }),
  (message) => port.postMessage(message),
);
serveRequests(port, (request) => thread.answer(request));
