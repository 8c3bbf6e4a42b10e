// Guarantees of the bound of the smallest keys: that of sorting all of them, in few steps for each, whatever their order.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { SmallestKeys } from './smallest-keys.ts';

/** Keys that count how often one of them is written. */
function countedKeys(limit: number): { readonly keys: Float64Array; readonly moves: () => number } {
  let moves = 0;
  const keys = new Proxy(new Float64Array(limit), {
    get: (target, name) => (name === 'length' ? limit : target[Number(name)]),
    set: (target, name, value) => {
      moves++;
      target[Number(name)] = value;
      return true;
    },
  });
  return { keys, moves: () => moves };
}

it('is the last of as many as are wanted, of any keys in any order', () => {
  const key = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(fc.array(key, { maxLength: 80 }), fc.integer({ min: 1, max: 30 }), (keys, limit) => {
      const smallest = new SmallestKeys(limit);
      assert.equal(smallest.largest, Number.NEGATIVE_INFINITY);
      for (const [at, each] of keys.entries()) {
        smallest.add(each);
        const sorted = keys.slice(0, at + 1).sort((a, b) => a - b);
        assert.ok(smallest.largest === sorted[Math.min(limit - 1, at)]);
      }
    }),
    { seed: 93, numRuns: 500 },
  );
});

for (const [order, keyAt] of [
  ['ascending', (at: number) => at],
  ['descending', (at: number) => -at],
  ['equal', () => 7],
] as const)
  it(`takes at most twice the logarithm of their number to keep 10,001 of 60,000 ${order} keys`, () => {
    const [limit, count] = [10_001, 60_000];
    const { keys, moves } = countedKeys(limit);
    const smallest = new SmallestKeys(limit, keys);
    for (let at = 0; at < count; at++) smallest.add(keyAt(at));
    assert.ok(moves() <= count * 2 * Math.log2(limit), `${moves()} moves`);
  });
