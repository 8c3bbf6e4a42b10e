// Runs the data request of a task in an engine thread.
import type { DataAnswer } from '../../api/data-request.ts';
import type { TaskResult, ThreadTask } from '../../engine/embedded/workers/task.ts';
import type { ReadAsOf } from '../../engine/port/past-reads.ts';
import type { VectorReader, VectorWriter } from '../../engine/port/reader-and-writer.ts';
import { Moved } from '../../platform/worker-channel/moved.ts';
import { unpackRequest } from './request-details.ts';
import { runRequest } from './run-request.ts';

const FAILURE_STATUS_MIN = 400;
/** Texts of this length or more move as bytes; shorter ones are copied in less time than a buffer takes. */
const MOVED_LENGTH_MIN = 65_536;

export interface TaskTools {
  readonly reader?: VectorReader;
  readonly readAsOf?: ReadAsOf;
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
  return { answer: withMovedBody(answer), isFailure: answer.status >= FAILURE_STATUS_MIN };
}

/**
 * The answer, with a long text as bytes that move: a string would be copied on its way to the main thread, and encoded
 * there while all other callers wait.
 */
export function withMovedBody(answer: DataAnswer): DataAnswer | Moved<DataAnswer> {
  if (typeof answer.body !== 'string' || answer.body.length < MOVED_LENGTH_MIN) return answer;
  const body = new TextEncoder().encode(answer.body);
  return new Moved({ ...answer, body }, [body.buffer]);
}
