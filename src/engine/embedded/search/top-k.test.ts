// The top k of a stream are its best k, with all that tie with the last of them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { TopK } from './top-k.ts';

/** Few different keys, so that ties are common. */
const key = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -3, max: 3 }));

it('keeps exactly the best k and their ties, in any order of arrival', () => {
  const keys = fc.array(key, { maxLength: 60 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 20 }), (list, capacity) => {
      const top = new TopK(capacity);
      list.forEach((value, slot) => {
        top.offer(value, slot);
      });
      const sorted = list.toSorted((a, b) => b - a);
      const bound = sorted[capacity - 1] ?? Number.NEGATIVE_INFINITY;
      assert.equal(top.bound, bound);
      const expected = list.flatMap((value, slot) => (value >= bound ? [{ key: value, slot }] : []));
      const bySlot = top.entries().toSorted((a, b) => a.slot - b.slot);
      assert.deepEqual(bySlot, expected);
    }),
    { seed: 37, numRuns: 1_000 },
  );
});

it('raises its bound only, and has none below the capacity', () => {
  const top = new TopK(3);
  let last = Number.NEGATIVE_INFINITY;
  for (const [slot, value] of [5, 1, 4, 4, 9, 0, 9, 9].entries()) {
    top.offer(value, slot);
    assert.ok(top.bound >= last);
    last = top.bound;
    if (slot < 2) assert.equal(top.bound, Number.NEGATIVE_INFINITY);
  }
  assert.equal(last, 9);
});

it('returns the same when read again, and accepts more afterwards', () => {
  const top = new TopK(2);
  for (const [slot, value] of [1, 2, 3].entries()) top.offer(value, slot);
  assert.deepEqual(top.entries(), top.entries());
  top.offer(8, 9);
  assert.deepEqual(
    top
      .entries()
      .map((entry) => entry.slot)
      .sort(),
    [2, 9],
  );
});

it('keeps the best, and no more than 65,536 that tie with the last of them', () => {
  const top = new TopK(3);
  for (let slot = 0; slot < 100_000; slot++) top.offer(slot < 50_000 ? 1 : 2, slot);
  for (const slot of [100_000, 100_001]) top.offer(3, slot);
  for (let slot = 100_002; slot < 200_000; slot++) top.offer(2, slot);
  const entries = top.entries();
  assert.equal(top.bound, 2);
  assert.ok(entries.every(({ key }) => key >= 2));
  assert.equal(entries.filter(({ key }) => key === 3).length, 2);
  assert.ok(entries.length > 65_536 && entries.length <= 65_536 + 5, `${entries.length}`);
});

it('refuses to keep anything but a whole number of one or more', () => {
  for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => new TopK(capacity), RangeError, `${capacity}`);
});
