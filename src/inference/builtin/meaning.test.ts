// Guarantees of spreading the magnitude of a vector over its dimensions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { innerProduct, spread } from './meaning.ts';

const LENGTH = 256;
const numbers = fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: LENGTH, maxLength: LENGTH });

test('keeps every inner product, times the length, and so every ranking', () => {
  fc.assert(
    fc.property(numbers, numbers, (a, b) => {
      const [before, after] = [
        [Float64Array.from(a), Float64Array.from(b)],
        [Float64Array.from(a), Float64Array.from(b)],
      ] as const;
      for (const vector of after) spread(vector);
      // Integers of this size are exact.
      assert.equal(innerProduct(...after), LENGTH * innerProduct(...before));
    }),
    { seed: 7, numRuns: 50 },
  );
});

test('turns one number into many of equal size', () => {
  const single = new Float64Array(LENGTH);
  single[3] = -2;
  spread(single);
  assert.ok(single.every((value) => Math.abs(value) === 2));
});
