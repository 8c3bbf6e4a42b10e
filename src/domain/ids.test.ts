import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOrderedId } from './ids.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('generates UUIDs that sort in order of creation, also within a millisecond and when the clock goes back', () => {
  const clocks = [...Array<number>(10_000).fill(1_000), ...Array<number>(3).fill(5_000), 4_000, 1, 6_000];
  const ids = clocks.map((nowMs) => newOrderedId(Date.now() + 60_000 + nowMs));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, UUID_7);
});
