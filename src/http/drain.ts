// Draining: tracks the running requests, and waits for them when the server stops.
import type { AnyRequest, AnyResponse } from './connections/protocol-handlers.ts';

export interface Drain {
  /** Must be called for every request as it begins. */
  track(request: AnyRequest, response: AnyResponse): void;
  isStopping: () => boolean;
  /** Resolves to the number of requests still running: 0 as soon as none is, else what is left after `withinMs`. */
  stop(withinMs: number): Promise<number>;
}

export function createDrain(): Drain {
  let stopping = false;
  let onIdle: (() => void) | undefined;
  const running = new Set<AnyResponse>();
  return {
    track: (request, response) => {
      running.add(response);
      if (stopping) announceClose(request, response);
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

/** HTTP/2 sends GOAWAY once per session; HTTP/1.1 clients learn it from each response. */
function announceClose(request: AnyRequest, response: AnyResponse): void {
  if (request.httpVersionMajor < 2) response.setHeader('connection', 'close');
}
