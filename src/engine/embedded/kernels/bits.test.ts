// The kernel's bitmaps against sets of numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BUILDS, KernelFixture } from './testing/kernel-fixture.ts';

/** Whole vectors of four words, and a remainder. */
const WORDS_MAX = 11;

const slots = fc.uniqueArray(
  fc.oneof(fc.nat({ max: WORDS_MAX * 32 - 1 }), fc.constantFrom(0, 31, 32, 127, 128, WORDS_MAX * 32 - 1)),
);

for (const build of BUILDS) {
  test(`${build}: intersects bitmaps and counts their bits, up to the last requested word`, () => {
    const { kernel, u32, bitmap, sparseScores: other } = new KernelFixture(build);
    const put = (list: readonly number[], address: number): void => {
      const words = u32.subarray(address / 4, address / 4 + WORDS_MAX);
      words.fill(0);
      for (const slot of list) words[slot >>> 5] = (words[slot >>> 5] ?? 0) | (1 << (slot & 31));
    };
    const has = (slot: number): boolean =>
      (((u32[bitmap / 4 + (slot >>> 5)] ?? 0) >>> (slot & 31)) & 1) === 1;
    fc.assert(
      fc.property(slots, slots, fc.nat({ max: WORDS_MAX }), (a, b, words) => {
        put(a, bitmap);
        put(b, other);
        const isLooked = (slot: number) => slot < words * 32;
        assert.equal(kernel.countBits(bitmap, words), a.filter(isLooked).length);
        const both = a.filter((slot) => isLooked(slot) && b.includes(slot));
        assert.equal(kernel.intersectBits(bitmap, other, words), both.length);
        const left = a.filter((slot) => !isLooked(slot) || b.includes(slot));
        for (let slot = 0; slot < WORDS_MAX * 32; slot++) assert.equal(has(slot), left.includes(slot));
      }),
      { seed: 51, numRuns: 200 },
    );
    u32.fill(0xffffffff, bitmap / 4, bitmap / 4 + WORDS_MAX);
    assert.equal(kernel.countBits(bitmap, WORDS_MAX), WORDS_MAX * 32);
  });

  test(`${build}: tells the numbers of a range from other numbers, from NaN in all its patterns, and from what follows`, () => {
    const { kernel, u32, bitmap, sparseScores: numbers } = new KernelFixture(build);
    const f64 = new Float64Array(u32.buffer, numbers, 32 * WORDS_MAX);
    const number = fc.oneof(
      fc.double(),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom(-0, Infinity, -Infinity, NaN),
    );
    const cell = fc.oneof(
      { weight: 4, arbitrary: number },
      fc.bigInt({ min: 0xfff0000000000001n, max: 0xffffffffffffffffn }),
    );
    const cells = fc.array(cell, { minLength: 32 * WORDS_MAX, maxLength: 32 * WORDS_MAX });
    fc.assert(
      fc.property(cells, number, number, fc.nat({ max: 32 * WORDS_MAX }), (all, low, high, count) => {
        const bits = new BigUint64Array(f64.buffer, f64.byteOffset, f64.length);
        for (const [at, each] of all.entries()) {
          if (typeof each === 'bigint') bits[at] = each;
          else f64[at] = each;
        }
        const words = u32.subarray(bitmap / 4, bitmap / 4 + WORDS_MAX);
        words.fill(0xffffffff);
        kernel.testWithin({ numbers, count, low, high }, bitmap);
        for (const [at, each] of all.entries()) {
          const isSet = (((words[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
          if (at < count) assert.equal(isSet, typeof each === 'number' && each >= low && each <= high);
          else assert.equal(isSet, at >= 32 * Math.ceil(count / 32));
        }
      }),
      { seed: 52, numRuns: 200 },
    );
  });
}
