// What signals do from the first moment of a start on: until it has ended, there is nothing to stop or to reload.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../http/request-log.ts';
import type { RunningServer } from './boot.ts';
import type { SignalActions } from './signals.ts';

/** Enough for nearly all starts, whose first one prints credentials at its end. */
const START_MS_MAX = 5_000;

type Running = Pick<RunningServer, 'stop' | 'reload'>;

/**
 * The stop waits for the start, and then stops in order. One that takes long is broken off, which leaves what a kill
 * leaves: a state that the next start takes. A reload waits for the end of the start.
 */
export function startSignals(
  starting: Promise<Running>,
  logger: Pick<Logger, 'info' | 'fatal'>,
  startMsMax = START_MS_MAX,
): Pick<SignalActions, 'stop' | 'reload'> {
  // Whoever starts it tells why it failed.
  const started = starting.catch(() => null);
  return {
    reload: () => void started.then((running) => running?.reload()),
    stop: async () => {
      logger.info('stopping');
      const running = await orNull(started, startMsMax);
      if (running === null) return logger.info('stopped before the start had ended');
      try {
        await running.stop();
        logger.info('stopped');
      } catch (error) {
        logger.fatal({ err: error }, 'stopping failed');
        throw error;
      }
    },
  };
}

/** The outcome of `promise`, or null when it has none within `ms`. */
async function orNull<Result>(promise: Promise<Result>, ms: number): Promise<Result | null> {
  const ended = new AbortController();
  const late = pause(ms, null, { signal: ended.signal }).catch(() => null);
  return Promise.race([promise, late]).finally(() => ended.abort());
}
