// Guarantees of the logarithm against the platform's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { naturalLog } from './natural-log.ts';

test('equals the natural logarithm to 15 digits', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-300, max: 1e300, noNaN: true }), (x) => {
      assert.ok(Math.abs(naturalLog(x) - Math.log(x)) <= 1e-15 * Math.max(1, Math.abs(Math.log(x))));
    }),
    { seed: 61, numRuns: 2_000 },
  );
  assert.equal(naturalLog(1), 0);
});

test('refuses numbers without a logarithm', () => {
  for (const x of [0, -1, Number.NaN, Infinity]) assert.throws(() => naturalLog(x), RangeError);
});
