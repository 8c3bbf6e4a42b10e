// Waits for capacity: a job has time, and repeats work that was refused because the server or a provider was busy.
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../domain/faults.ts';

const PAUSE_MS = 500;
const PAUSE_MS_MAX = 60_000;
/** What is refused for longer lasts, so that the attempts and the error of a job are to tell. */
const REFUSED_MS_MAX = 10 * 60_000;
const SECOND_MS = 1_000;

export interface RetryClock {
  /** Milliseconds of a clock that only goes on. */
  readonly now: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const REAL_CLOCK: RetryClock = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Repeats `work` while it fails with `overloaded`, for at most ten minutes, after the time that the fault names.
 * @throws what else `work` throws; its last fault; the signal's reason
 */
export async function retryWhileOverloaded<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
  { now, pause }: RetryClock = REAL_CLOCK,
): Promise<Result> {
  const until = now() + REFUSED_MS_MAX;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Fault) || error.condition !== 'overloaded') throw error;
      const pauseMs = pauseOf(error);
      if (now() + pauseMs > until) throw error;
      await pause(pauseMs, signal);
    }
  }
}

function pauseOf({ retryAfterSeconds = 0 }: Fault): number {
  // A queue of this server says one second, and is free again before that.
  if (retryAfterSeconds <= 1) return PAUSE_MS;
  return Math.min(PAUSE_MS_MAX, retryAfterSeconds * SECOND_MS);
}
