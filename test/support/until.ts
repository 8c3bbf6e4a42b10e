// Waiting for something to come true, within a bound that only a hang exceeds, however busy the machine.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** Many times what anything that tests wait for takes beside other busy processes. */
export const HANG_MS = 120_000;
/** Each look is a request to the server, which has better things to do: the longer it takes, the rarer they are. */
const PAUSE_MS_MIN = 10;
const PAUSE_MS_MAX = 160;
const PAUSE_GROWTH = 1.4;

/** Resolves once `condition` holds; fails when it does not before the bound. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  const end = performance.now() + HANG_MS;
  for (let pauseMs = PAUSE_MS_MIN; !(await condition()); pauseMs *= PAUSE_GROWTH) {
    assert.ok(performance.now() < end, `${what} takes too long`);
    await pause(Math.min(pauseMs, PAUSE_MS_MAX));
  }
}

/** Resolves to the first result of `look` that is not undefined; fails when there is none before the bound. */
export async function found<Result>(look: () => Promise<Result | undefined>, what = 'it'): Promise<Result> {
  let result: Result | undefined;
  await until(async () => {
    result = await look();
    return result !== undefined;
  }, what);
  if (result === undefined) throw new Error(`${what} was not found`);
  return result;
}
