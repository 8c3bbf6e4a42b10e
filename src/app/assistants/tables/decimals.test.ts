// Tests that numbers of tables are read as they are meant, or not at all, and added without rounding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exactSum, meanOf, readNumbers } from './decimals.ts';

function digitsOf(cells: readonly string[], hasPlainNumbers = false): readonly (string | undefined)[] | null {
  return readNumbers(cells, hasPlainNumbers)?.map((each) => each?.digits) ?? null;
}

test('reads numbers with groups, decimals, signs and units of either language', () => {
  assert.deepEqual(digitsOf(['1,234.50', '99', '']), ['1234.50', '99', undefined]);
  assert.deepEqual(digitsOf(['1.234,50 €', '-0,5 €']), ['1234.50', '-0.5']);
  assert.deepEqual(digitsOf(['$1,234', '$1,234,567']), ['1234', '1234567']);
  assert.deepEqual(digitsOf(["1'200", '(30)']), ['1200', '-30']);
  assert.deepEqual(digitsOf(['1 234 567,5', '1\u00a0200', '1\u202f200,25']), [
    '1234567.5',
    '1200',
    '1200.25',
  ]);
  assert.deepEqual(digitsOf(['12.5%', '8%']), ['12.5', '8']);
  assert.deepEqual(digitsOf(['1.234', '2.5'], false), ['1.234', '2.5']);
  assert.deepEqual(digitsOf(['1.234', '5.678'], true), ['1.234', '5.678']);
});

test('reads no numbers where it is unclear what they are', () => {
  for (const cells of [
    ['1.234', '5.678'],
    ['1,234', '20'],
    ['1,5', '2.5'],
    ['5 kg', '500 g'],
    ['007', '8'],
    ['12', 'about 12'],
    ['1,23,456'],
    ['20 25', '3'],
    ['10 2000', '3'],
    ['1000 200', '3'],
    ['555 1234', '555 4321'],
    ["5'5", "6'1"],
    ['1,5 2', '2,5'],
    ['1.234 567', '2.5'],
    ["1 234'567", '3'],
    ['1 234,567.5', '3'],
    ['5.', '3'],
    ['', ''],
    ['5 kg', '5'],
    ['1e5'],
  ]) {
    assert.equal(digitsOf(cells), null, cells.join(' | '));
  }
  assert.equal(digitsOf(['1,234', '2'], true), null);
});

test('adds as with whole numbers, and rounds only averages', () => {
  assert.equal(
    exactSum(readNumbers(['0.1', '0.2', '-0.30'], false)?.flatMap((each) => each ?? []) ?? []),
    '0',
  );
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), { minLength: 1 }), (cents) => {
      const numbers = cents.map((cent) => {
        const digits = (cent < 0n ? -cent : cent).toString().padStart(3, '0');
        const text = `${cent < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
        return { digits: text, value: Number(text), unit: '' };
      });
      const sum = cents.reduce((all, each) => all + each, 0n);
      const [whole = '', fraction = ''] = exactSum(numbers).split('.');
      assert.equal(BigInt(whole + fraction.padEnd(2, '0')), sum);
    }),
    { seed: 7, numRuns: 100 },
  );
  const numbers = readNumbers(['1', '2', '2'], false)?.flatMap((each) => each ?? []) ?? [];
  assert.deepEqual(meanOf(numbers), { digits: '1.666667', isExact: false });
});
