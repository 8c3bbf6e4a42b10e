// Draining: knows which requests run, and waits for them when the server is told to stop.
import type { AnyRequest, AnyResponse } from './connections/protocol-handlers.ts';

export interface Drain {
  /** To be told of every request as it begins. */
  track(request: AnyRequest, response: AnyResponse): void;
  isStopping: () => boolean;
  /** Resolves when nothing runs any more, or after `withinMs`, to the number of requests that still run. */
  stop(withinMs: number): Promise<number>;
}

export function createDrain(): Drain {
  let stopping = false;
  let onIdle: (() => void) | undefined;
  const running = new Set<AnyResponse>();
  return {
    track: (request, response) => {
      running.add(response);
      if (stopping) askToLeave(request, response);
      response.once('close', () => {
        running.delete(response);
        if (running.size === 0) onIdle?.();
      });
    },
    isStopping: () => stopping,
    stop: async (withinMs) => {
      stopping = true;
      if (running.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          onIdle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return running.size;
    },
  };
}

/** HTTP/2 clients are told once for the whole session; HTTP/1.1 clients with each answer. */
function askToLeave(request: AnyRequest, response: AnyResponse): void {
  if (request.httpVersionMajor < 2) response.setHeader('connection', 'close');
}
