// The message loop every engine thread runs.
import type { MessagePort } from 'node:worker_threads';
import { toPlain } from './plain-error.ts';
import type { ThreadAnswer, ThreadReport, ThreadRequest } from './protocol.ts';

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

/** Tells the serving thread what to log for a plain 500. */
export function reportError(port: MessagePort, requestId: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  port.postMessage({ type: 'error', requestId, error: text } satisfies ThreadReport);
}
