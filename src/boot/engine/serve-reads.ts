// Serves a reader thread: joins the data surfaces' read endpoints to the embedded engine.

import type { ThreadStart } from '../../engine/embedded/workers/protocol.ts';
import { ReaderThread } from '../../engine/embedded/workers/reader-thread.ts';
import { reportError, serveReader } from '../../engine/embedded/workers/serve-thread.ts';
import { startData } from '../../platform/worker-channel/start-data.ts';
import { runTask } from './run-task.ts';

const thread = new ReaderThread(
  startData<ThreadStart>(),
  (task, access) => runTask(task, { ...access, report }),
  (notice) => server.notify(notice),
);
const server = serveReader(thread);

function report(requestId: string, error: unknown): void {
  reportError(server, requestId, error);
}
