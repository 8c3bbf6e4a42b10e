// Runs the data request of a task in an engine thread.
import type { TaskResult, ThreadTask } from '../../engine/embedded/workers/task.ts';
import type { VectorReader, VectorWriter } from '../../engine/port/reader-and-writer.ts';
import { unpackRequest } from './request-details.ts';
import { runRequest } from './run-request.ts';

const FAILURE_STATUS_MIN = 400;

export interface TaskTools {
  readonly reader?: VectorReader;
  readonly writer?: VectorWriter;
  /** Receives what became a plain 500. */
  readonly report: (requestId: string, error: unknown) => void;
}

/** Runs a task. Leaves its body unchanged, because the thread may have to run the task again. */
export async function runTask(task: ThreadTask, { report, ...access }: TaskTools): Promise<TaskResult> {
  const request = unpackRequest(task);
  const answer = await runRequest(request, {
    ...access,
    onError: (error) => report(request.requestId, error),
  });
  return { answer, isFailure: answer.status >= FAILURE_STATUS_MIN };
}
