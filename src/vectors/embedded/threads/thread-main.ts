// The message loop every engine thread runs.
import { constants, setPriority } from 'node:os';
import type { MessagePort } from 'node:worker_threads';
import { toPlain } from './plain-error.ts';
import type { ThreadAnswer, ThreadKind, ThreadReport, ThreadRequest } from './protocol.ts';

const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;

/**
 * When more threads are busy than there are cores, the serving thread goes first and builders last.
 * @returns false where the system does not let a thread step back
 */
export function takePriority(kind: ThreadKind): boolean {
  // Linux gives each thread a priority of its own, and 0 means the calling one.
  if (process.platform !== 'linux') return false;
  try {
    setPriority(0, kind === 'builder' ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL);
    return true;
  } catch {
    // A sandbox may forbid it; the engine only gets less polite.
    return false;
  }
}

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
