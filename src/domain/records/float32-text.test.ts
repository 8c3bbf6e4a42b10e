// Float text: shortest, exact on the way back, always JSON.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { float32ArrayText, scoreText, shortestDouble } from './float32-text.ts';

const OPTIONS = { seed: 7, numRuns: 20_000 };
const finite = fc.float({ noNaN: true, noDefaultInfinity: true });

function significantDigits(value: number): number {
  const [mantissa = ''] = String(Math.abs(value)).split('e');
  return mantissa.replace('.', '').replace(/^0+/, '').replace(/0+$/, '').length;
}

describe('the text of 32-bit floats', () => {
  it('reads back as the same float, in at most 9 significant digits', () => {
    fc.assert(
      fc.property(finite, (value) => {
        const short = shortestDouble(value);
        assert.equal(Math.fround(Number(String(short))), value + 0);
        assert.ok(significantDigits(short) <= 9, String(short));
      }),
      OPTIONS,
    );
  });

  it('gives back every decimal of up to 6 digits as it was written', () => {
    const decimal = fc.tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -30, max: 30 }));
    fc.assert(
      fc.property(decimal, ([digits, exponent]) => {
        const written = Number(`${digits}e${exponent}`);
        assert.equal(shortestDouble(Math.fround(written)), written + 0);
      }),
      OPTIONS,
    );
  });

  it('prints arrays as JSON in short form', () => {
    const values = Float32Array.of(0.1, -0, 1, 3.4028235e38, 1.1754944e-38, 16_777_216, -2.5e-7, 1e9);
    const text = '[0.1,0,1,3.4028235e+38,1.1754944e-38,16777216,-2.5e-7,1000000000]';
    assert.equal(float32ArrayText(values), text);
    assert.deepEqual(
      Float32Array.from(JSON.parse(text)),
      Float32Array.from(values, (value) => value + 0),
    );
  });

  it('prints a few very small or large numbers among others as JSON does', () => {
    const usual = fc.float({ min: Math.fround(-0.2), max: Math.fround(0.2), noNaN: true });
    const lists = fc.array(fc.oneof({ weight: 9, arbitrary: usual }, finite), { maxLength: 40 });
    fc.assert(
      fc.property(lists, (list) => {
        const values = Float32Array.from(list);
        assert.equal(float32ArrayText(values), JSON.stringify(Array.from(values, shortestDouble)));
      }),
      { seed: 8, numRuns: 5_000 },
    );
  });

  it('prints scores as finite numbers even where arithmetic overflowed', () => {
    const scores = [0.1 + 0.2, 1, -1, Number.POSITIVE_INFINITY, -1e300, Number.NaN].map(scoreText);
    assert.deepEqual(scores, ['0.3', '1', '-1', '3.4028235e+38', '-3.4028235e+38', '0']);
  });
});
