// Retries transient errors of a provider with exponential backoff, for as long as the caller waits.
import { setTimeout as wait } from 'node:timers/promises';
import { ProviderError } from '../provider-errors.ts';

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 5_000;

export interface RetryOptions {
  readonly signal: AbortSignal;
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number;
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** When the caller stops waiting, in milliseconds of `performance.now`. */
  readonly deadlineMs: number;
}

/** @throws the error of the last attempt, at once when the provider asks for more time than the caller has */
export async function withRetries<Result>(
  ask: () => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { signal, deadlineMs, random = Math.random, pause = sleep } = options;
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries >= TRIES_MAX || !isPassing(error)) throw error;
      const pauseMs = Math.max(error.retryAfterMs ?? 0, jittered(tries, random()));
      if (performance.now() + pauseMs >= deadlineMs) throw error;
      await pause(pauseMs, signal);
    }
  }
}

function isPassing(error: unknown): error is ProviderError {
  return error instanceof ProviderError && (error.kind === 'down' || error.kind === 'busy');
}

/** Doubles with each attempt. Half of it is random, so that callers that failed together do not retry together. */
function jittered(tries: number, chance: number): number {
  const full = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** (tries - 1));
  return full * (0.5 + chance / 2);
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal });
}
