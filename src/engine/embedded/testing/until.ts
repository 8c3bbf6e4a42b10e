// Waiting for something to come true, within bounds.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

const WAIT_MS_MAX = 30_000;
const PAUSE_MS = 2;

/** Resolves once `condition` holds; fails when it does not within thirty seconds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  while (!condition()) {
    assert.ok(performance.now() < end, `${what} takes too long`);
    await pause(PAUSE_MS);
  }
}

/** The outcome of `promise`; fails when it takes longer than thirty seconds, instead of hanging. */
export async function inTime<Result>(promise: Promise<Result>, what: string): Promise<Result> {
  const late = new AbortController();
  const timeout = pause(WAIT_MS_MAX, undefined, { signal: late.signal }).then(() =>
    assert.fail(`${what} hangs`),
  );
  timeout.catch(() => {});
  return Promise.race([promise, timeout]).finally(() => late.abort());
}
