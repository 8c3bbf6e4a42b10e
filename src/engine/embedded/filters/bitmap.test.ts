// Iteration over bitmaps against sets of numbers.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { setBits } from './bitmap.ts';

const WORDS = 5;
const OPTIONS = { seed: 36, numRuns: 300 };
const slots = fc.uniqueArray(
  fc.oneof(fc.nat({ max: WORDS * 32 - 1 }), fc.constantFrom(0, 31, 32, 63, WORDS * 32 - 1)),
);

function bitmapOf(list: readonly number[]): Uint32Array {
  const bitmap = new Uint32Array(WORDS);
  for (const slot of list) bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) | (1 << (slot & 31));
  return bitmap;
}

it('yields the bits set in ascending order, up to the last requested word', () => {
  fc.assert(
    fc.property(slots, fc.nat({ max: WORDS }), (list, words) => {
      const expected = list.filter((slot) => slot < words * 32).sort((a, b) => a - b);
      assert.deepEqual([...setBits(bitmapOf(list), words)], expected);
    }),
    OPTIONS,
  );
  const full = new Uint32Array(WORDS).fill(0xffffffff);
  assert.equal([...setBits(full, WORDS)].length, WORDS * 32);
});
