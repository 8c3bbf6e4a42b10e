// Serves a writer thread: joins the data surfaces' write endpoints to the embedded engine.

import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { reportError, serveWriter } from '../../engine/embedded/workers/serve-thread.ts';
import { WriterThread } from '../../engine/embedded/workers/writer-thread.ts';
import { startData } from '../../platform/worker-channel/start-data.ts';
import { runTask } from './run-task.ts';

const thread = new WriterThread(
  startData<ThreadStart>(),
  (task, writer) => runTask(task, { writer, report }),
  (notice) => server.notify(notice),
);
const server = serveWriter(thread);

function report(requestId: string, error: unknown): void {
  reportError(server, requestId, error);
}
