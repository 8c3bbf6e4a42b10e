// A writer thread for tests that dies on request, even within a transaction.
import { workerData } from 'node:worker_threads';
import { unpackRequest } from '../../../../boot/engine/request-details.ts';
import { runTask } from '../../../../boot/engine/run-task.ts';
import { takePriority } from '../../../../platform/thread-priority.ts';
import { NumberTable } from '../../storage/number-table.ts';
import type { ThreadStart } from '../protocol.ts';
import { reportError, serveWriter } from '../serve-thread.ts';
import { WriterThread } from '../writer-thread.ts';
import { dieIfRequested } from './deaths.ts';

const start = workerData as ThreadStart;
const { put } = NumberTable.prototype;
const thread = new WriterThread(
  start,
  async (task, writer) => {
    const { params } = unpackRequest(task);
    await dieIfRequested(task, start.dataDir);
    // This method is called at the end of each transaction, before the commit.
    if (params.die === 'commit') NumberTable.prototype.put = () => process.exit(1);
    const result = await runTask(task, {
      writer,
      report: (requestId, error) => reportError(server, requestId, error),
    });
    NumberTable.prototype.put = put;
    return result;
  },
  (notice) => server.notify(notice),
);
takePriority('writer');
const server = serveWriter(thread);
