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
}
