// Builders pause only while queries need the cores, and never for long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildPause, QueryLoad } from './build-pause.ts';

const STEP_MS = 4;
const REST_MS_MAX = 10;

/** Notes rests instead of taking them: on a busy machine the clock tells of others. */
class WakefulLoad extends QueryLoad {
  readonly restsMs: number[] = [];

  override sleep(ms: number): void {
    this.restsMs.push(ms);
  }
}

/** The rests of the builder of this number after a step, beside readers that have so many requests. */
function restsMs(
  requests: readonly number[],
  options: { readonly number: number; readonly stepsBack: boolean },
): readonly number[] {
  const load = new WakefulLoad(QueryLoad.allocate(requests.length));
  for (const [reader, count] of requests.entries()) load.set(reader, count);
  const pause = new BuildPause(load, { ...options, cores: 2 });
  pause.begin();
  const end = performance.now() + STEP_MS;
  while (performance.now() < end);
  pause.pause();
  return load.restsMs;
}

test('lets a builder pause for twice its working time only when queries leave it no core', () => {
  const rests = ([requests, number]: readonly [readonly number[], number]) =>
    restsMs(requests, { number, stepsBack: false }).map((ms) => ms >= 2 * STEP_MS);
  const cases = [
    [[0, 0], 0],
    [[0, 0], 1],
    [[5, 0], 0],
    [[5, 0], 1],
    [[1, 1], 0],
    [[9, 9], 1],
  ] as const;
  assert.deepEqual(cases.map(rests), [[], [], [], [true], [true], [true]]);
});

test('lets a builder go on under endless queries', () => {
  const [rest = Number.NaN, ...more] = restsMs([1_000, 1_000], { number: 1, stepsBack: false });
  assert.deepEqual(more, []);
  assert.ok(rest <= REST_MS_MAX, `${rest} ms`);
});

test('lets a builder work on where the system gives readers priority', () => {
  assert.deepEqual(restsMs([9, 9], { number: 0, stepsBack: true }), []);
});
