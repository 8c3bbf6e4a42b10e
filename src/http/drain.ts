// Draining: tracks the running requests, and waits for them, and for those on their way, when the server stops.
import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { whenClosed } from './client-gone.ts';
import type { AnyRequest, AnyResponse } from './connections/protocol-handlers.ts';

/** What the kernel holds is accepted in one turn and read in a later one, which a busy thread may reach after `quietMs`. */
const TURNS_QUIET = 4;

export interface Drain {
  /** Must be called for every request as it begins. */
  track(request: AnyRequest, response: AnyResponse): void;
  isStopping: () => boolean;
  /**
   * Resolves to the number of requests still running: 0 once none has run for `quietMs`, else what is left after
   * `withinMs`.
   */
  stop(bounds: { readonly withinMs: number; readonly quietMs: number }): Promise<number>;
}

export function createDrain(): Drain {
  let stopping = false;
  let onChange: (() => void) | undefined;
  const running = new Map<AnyResponse, AnyRequest>();
  return {
    track: (request, response) => {
      running.set(response, request);
      if (stopping) announceClose(request, response);
      whenClosed(response, () => {
        running.delete(response);
        onChange?.();
      });
      onChange?.();
    },
    isStopping: () => stopping,
    stop: async ({ withinMs, quietMs }) => {
      stopping = true;
      for (const [response, request] of running) announceClose(request, response);
      const { promise, resolve } = Promise.withResolvers<void>();
      const end = setTimeout(resolve, withinMs);
      let quiet: NodeJS.Timeout | undefined;
      let changes = 0;
      const endIfStillQuiet = async (at: number) => {
        for (let turn = 0; turn < TURNS_QUIET; turn++) await eventLoopTurn();
        if (changes === at) resolve();
      };
      onChange = () => {
        changes += 1;
        clearTimeout(quiet);
        if (running.size === 0) quiet = setTimeout(() => void endIfStillQuiet(changes), quietMs);
      };
      onChange();
      await promise;
      onChange = undefined;
      for (const timer of [end, quiet]) clearTimeout(timer);
      return running.size;
    },
  };
}

/** HTTP/2 sends GOAWAY once per session; HTTP/1.1 clients learn it from each response. */
function announceClose(request: AnyRequest, response: AnyResponse): void {
  if (request.httpVersionMajor < 2 && !response.headersSent) response.setHeader('connection', 'close');
}
