// The message loop every engine thread runs.
import type { MessagePort } from 'node:worker_threads';
import { toPlain } from '../../../domain/faults/plain-error.ts';
import type { ThreadAnswer, ThreadReport, ThreadRequest, WaitReport } from './protocol.ts';

/** Answers each request of the serving thread; stops listening after `close`. */
export function serveRequests(
  port: MessagePort,
  answer: (request: ThreadRequest) => Promise<ThreadAnswer>,
): void {
  port.on('message', (request: ThreadRequest) => {
    answer(request)
      .catch(
        (error: unknown): ThreadAnswer => ({ callId: request.callId, type: 'failed', error: toPlain(error) }),
      )
      .then((result) => {
        port.postMessage(result);
        if (request.type === 'close') port.close();
      });
  });
}

/**
 * Tells the serving thread of an answer that is not there when the thread has nothing left to do for it: the request
 * waits for another thread, maybe for seconds, and this one can take up others.
 */
export function tellWait(
  port: MessagePort,
  callId: number,
  answer: Promise<ThreadAnswer>,
): Promise<ThreadAnswer> {
  let isThere = false;
  // Answers that need nobody else are made in one go, promises and all, before the event loop goes on.
  setImmediate(() => {
    if (!isThere) port.postMessage({ type: 'waits', waitingCallId: callId } satisfies WaitReport);
  });
  return answer.finally(() => {
    isThere = true;
  });
}

/** Tells the serving thread what to log for a plain 500. */
export function reportError(port: MessagePort, requestId: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  port.postMessage({ type: 'error', requestId, error: text } satisfies ThreadReport);
}
