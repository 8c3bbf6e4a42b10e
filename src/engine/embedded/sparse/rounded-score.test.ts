// Guarantees of rounded scores: floats where there are floats, and an order beyond them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FLOAT_MAX } from './accumulators.ts';
import { roundedScore } from './rounded-score.ts';

const OPTIONS = { seed: 12, numRuns: 2_000 };
/** What products and sums of as many floats as a vector has can be. */
const score = fc
  .tuple(fc.double({ min: 1, max: 2, noNaN: true }), fc.integer({ min: -140, max: 267 }), fc.boolean())
  .map(([digits, exponent, isNegative]) => (isNegative ? -digits : digits) * 2 ** exponent);

test('rounds a score to the nearest float, as far as floats reach', () => {
  fc.assert(
    fc.property(score, (value) => {
      if (Math.abs(value) <= FLOAT_MAX) assert.equal(roundedScore(value), Math.fround(value));
      else assert.ok(Math.abs(roundedScore(value) / value - 1) <= 2 ** -24);
    }),
    OPTIONS,
  );
});

test('keeps scores in order, however large', () => {
  fc.assert(
    fc.property(score, score, (a, b) => {
      if (a <= b) assert.ok(roundedScore(a) <= roundedScore(b));
      if (a < b * (b > 0 ? 1 - 2 ** -22 : 1 + 2 ** -22)) assert.ok(roundedScore(a) < roundedScore(b));
    }),
    OPTIONS,
  );
  assert.ok(Number.isNaN(roundedScore(Number.NaN)), 'no score stays none');
});
