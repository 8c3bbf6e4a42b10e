import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from './testing/turns.ts';
import { inTurns } from './turns.ts';

test('yields to other work during long work, with the same result', async (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const items = Array.from({ length: 60 }, (_, i) => i);
  const turns = countTurns();
  const itemsOfTurns = new Map<number, number>();
  const results = await inTurns(items, (item) => {
    nowMs += 1;
    itemsOfTurns.set(turns.count, (itemsOfTurns.get(turns.count) ?? 0) + 1);
    return item * 2;
  });
  turns.stop();
  assert.deepEqual(
    results,
    items.map((item) => item * 2),
  );
  assert.ok([...itemsOfTurns.values()].every((count) => count <= 2));
});
