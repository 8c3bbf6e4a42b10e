// Lists written at once: the same text as JSON.stringify gives of the shortest doubles, or none.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { shortestDouble } from '../float32-text.ts';
import { plainListText } from './plain-list.ts';

const OPTIONS = { seed: 40, numRuns: 2_000 };
const finite = fc.float({ noNaN: true, noDefaultInfinity: true });
const component = fc.tuple(fc.float({ min: -1, max: 1, noNaN: true }), fc.integer({ min: -5, max: 8 }));
const decimal = fc.tuple(
  fc.integer({ min: -999_999_999, max: 999_999_999 }),
  fc.integer({ min: -14, max: 0 }),
);
const plain = fc.oneof(
  component.map(([value, exponent]) => Math.fround(value * 10 ** exponent)),
  decimal.map(([digits, exponent]) => Math.fround(Number(`${digits}e${exponent}`))),
  fc.integer({ min: -126, max: 30 }).map((exponent) => 2 ** exponent),
);

function isPlain(value: number): boolean {
  return value === 0 || (Math.abs(value) >= 1e-6 && Math.abs(value) < 1e9);
}

function expected(values: Float32Array): string {
  return JSON.stringify(Array.from(values, shortestDouble)).slice(1, -1);
}

it('writes lists as JSON.stringify does, digit by digit', () => {
  fc.assert(
    fc.property(fc.array(plain, { maxLength: 40 }), (list) => {
      const values = Float32Array.from(list.filter(isPlain));
      assert.equal(plainListText(values), expected(values));
    }),
    OPTIONS,
  );
});

it('writes the floats around each power of ten and of two', () => {
  const floats = new Float32Array(1);
  const bits = new Uint32Array(floats.buffer);
  const values: number[] = [];
  const near = (value: number) => {
    floats[0] = value;
    bits[0] = (bits[0] ?? 0) - 20;
    for (let i = 0; i < 40; i++) {
      if (isPlain(floats[0] ?? 0)) values.push(floats[0] ?? 0, -(floats[0] ?? 0));
      bits[0] = (bits[0] ?? 0) + 1;
    }
  };
  for (let exponent = -6; exponent <= 9; exponent++) near(10 ** exponent);
  for (let exponent = -20; exponent <= 30; exponent++) near(2 ** exponent);
  const list = Float32Array.from(values);
  assert.ok(list.length > 4_000);
  assert.equal(plainListText(list), expected(list));
});

it('returns null for lists with numbers that need an exponent or are not finite', () => {
  const others = [9.9e-7, -1e-30, 1e9, -3e38, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const other of others)
    assert.equal(plainListText(Float32Array.of(0.5, other, 1)), null, String(other));
  fc.assert(
    fc.property(finite, (value) => {
      assert.equal(plainListText(Float32Array.of(value)) !== null, isPlain(value));
    }),
    OPTIONS,
  );
});

it('has space for long lists, and writes short lists after them whole', () => {
  const longest = Float32Array.from({ length: 20_000 }, (_, i) => -1.23456789e-6 - i * 1e-12);
  assert.equal(plainListText(longest), expected(longest));
  assert.equal(plainListText(new Float32Array(0)), '');
  assert.equal(plainListText(Float32Array.of(-0, 0.1)), '0,0.1');
});
