// Guarantees of decimals that become JSON: the number where it is that decimal, else its text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decimalValue } from './decimal-value.ts';

test('gives the number that is written as the decimal, and the text with all digits where none is', () => {
  for (const [unscaled, scale, expected] of [
    [1999n, 2, 19.99],
    [-1999n, 2, -19.99],
    [1990n, 2, 19.9],
    [0n, 4, 0],
    [-1n, 6, -0.000001],
    [1n, 30, 1e-30],
    [9007199254740991n, 0, 9007199254740991],
    [9007199254740993n, 0, '9007199254740993'],
    [9007199254740993n, 2, '90071992547409.93'],
    [-123456789012345678901234567890n, 10, '-12345678901234567890.1234567890'],
    [100000000000000000001n, 20, '1.00000000000000000001'],
    [5n, 400, `0.${'0'.repeat(399)}5`],
  ] as const)
    assert.equal(decimalValue(unscaled, scale), expected, `${unscaled} ${scale}`);
});

test('never gives a number whose shortest text is another decimal, and no text where there is such a number', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      fc.nat(24),
      fc.nat(18),
      (digits, scale, cut) => {
        const unscaled = digits / 10n ** BigInt(cut);
        const value = decimalValue(unscaled, scale);
        const exact = unscaled * 10n ** BigInt(40 - scale);
        assert.equal(exactOf(String(value)), exact);
        const nearest = Number(`${unscaled}e-${scale}`);
        const isSmall = Math.abs(nearest) <= Number.MAX_SAFE_INTEGER;
        assert.equal(typeof value === 'number', isSmall && exactOf(String(nearest)) === exact);
      },
    ),
    { seed: 7, numRuns: 2_000 },
  );
});

/** The decimal of a text in units of 10^-40. */
function exactOf(text: string): bigint {
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = 40 + Number(exponent) - fraction.length;
  const value = BigInt(`${whole}${fraction}`);
  return shift >= 0 ? value * 10n ** BigInt(shift) : value / 10n ** BigInt(-shift);
}
