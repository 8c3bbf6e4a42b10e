// Runs the data request of a task in an engine thread.
import type { DataAnswer } from '../../api/data-request.ts';
import { BYTES_FROM_LENGTH } from '../../domain/records/answer-text.ts';
import type { TaskResult, ThreadTask } from '../../engine/embedded/workers/task.ts';
import type { ReadAsOf } from '../../engine/port/past-reads.ts';
import type { VectorReader, VectorWriter } from '../../engine/port/reader-and-writer.ts';
import { Moved } from '../../platform/worker-channel/moved.ts';
import { unpackRequest } from './request-details.ts';
import { runRequest } from './run-request.ts';

const FAILURE_STATUS_MIN = 400;

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
 * The answer, with a long body as bytes that move: it would be copied on its way to the main thread, and a string
 * encoded there while all other callers wait.
 */
export function withMovedBody(answer: DataAnswer): DataAnswer | Moved<DataAnswer> {
  if (answer.body.length < BYTES_FROM_LENGTH) return answer;
  const body = typeof answer.body === 'string' ? new TextEncoder().encode(answer.body) : answer.body;
  return ownsItsBuffer(body) ? new Moved({ ...answer, body }, [body.buffer]) : answer;
}

/** Whether nothing else is in the buffer of bytes. Behind them is only room that they did not need. */
function ownsItsBuffer(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.byteOffset === 0 && bytes.buffer instanceof ArrayBuffer;
}
