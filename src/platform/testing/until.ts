// Waits for a condition, within a bound that only a hang exceeds, however busy the machine is.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Many times longer than anything that tests wait for, even on a busy machine. */
export const HANG_MS = 120_000;
/** The longer it takes, the rarer a look: it would keep what is waited for from its work. */
const PAUSE_MS_MIN = 1;
const PAUSE_MS_MAX = 20;
const PAUSE_GROWTH = 1.3;

/** Resolves once `condition` holds; fails when it does not before the bound. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + HANG_MS;
  for (let pauseMs = PAUSE_MS_MIN; !(await condition()); pauseMs *= PAUSE_GROWTH) {
    assert.ok(performance.now() < end, `${what} takes too long`);
    await pause(Math.min(pauseMs, PAUSE_MS_MAX));
  }
}

/** The same, with a look in every turn of the event loop: for a step of this thread's work that others soon follow. */
export async function untilTurn(condition: () => boolean, what: string): Promise<void> {
  const end = performance.now() + HANG_MS;
  while (!condition()) {
    assert.ok(performance.now() < end, `${what} takes too long`);
    await new Promise(setImmediate);
  }
}

/** The outcome of `promise`; fails when it has none before the bound, instead of hanging. */
export async function inTime<Result>(promise: Promise<Result>, what: string): Promise<Result> {
  const late = new AbortController();
  const timeout = pause(HANG_MS, undefined, { signal: late.signal }).then(() => assert.fail(`${what} hangs`));
  timeout.catch(() => {});
  return Promise.race([promise, timeout]).finally(() => late.abort());
}
