// Builders rest when queries need the cores, and only then, and never for long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildPause, QueryLoad } from './build-pause.ts';

const STEP_MS = 4;

/** How long the builder of this number rests after a step, beside readers that have so many requests. */
function restMs(
  requests: readonly number[],
  options: { readonly number: number; readonly stepsBack: boolean },
): number {
  const load = new QueryLoad(QueryLoad.allocate(requests.length));
  for (const [reader, count] of requests.entries()) load.set(reader, count);
  const pause = new BuildPause(load, { ...options, cores: 2 });
  pause.begin();
  const end = performance.now() + STEP_MS;
  while (performance.now() < end);
  const begin = performance.now();
  pause.rest();
  return performance.now() - begin;
}

test('while queries leave it a core, a builder does not rest; otherwise it rests twice as long as it worked', () => {
  const isRest = (ms: number) => ms >= STEP_MS;
  const rests = ([requests, number]: readonly [readonly number[], number]) =>
    isRest(restMs(requests, { number, stepsBack: false }));
  const cases = [
    [[0, 0], 0],
    [[0, 0], 1],
    [[5, 0], 0],
    [[5, 0], 1],
    [[1, 1], 0],
    [[9, 9], 1],
  ] as const;
  assert.deepEqual(cases.map(rests), [false, false, false, true, true, true]);
});

test('queries without end do not keep a builder from going on', () => {
  assert.ok(restMs([1_000, 1_000], { number: 1, stepsBack: false }) < 100);
});

test('where the system lets readers go first, a builder does not rest', () => {
  assert.ok(restMs([9, 9], { number: 0, stepsBack: true }) < STEP_MS);
});
