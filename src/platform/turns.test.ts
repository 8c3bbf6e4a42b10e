import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inTurns } from './turns.ts';

test('long work gives others their turn, and comes to the same', async () => {
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const holdMs = (ms: number) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  };
  const items = Array.from({ length: 60 }, (_, i) => i);
  const results = await inTurns(items, (item) => {
    holdMs(1);
    return item * 2;
  });
  clearInterval(counting);
  assert.deepEqual(
    results,
    items.map((item) => item * 2),
  );
  assert.ok(turns >= 10, `${turns} turns`);
});
