// Ranges of bitmaps against a naive check of every bit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../kernels/testing/hard-vectors.ts';
import { countSet, visitSet } from './bitmap-range.ts';

test('counts and visits the bits of any range, and none outside it', () => {
  const random = new Random(81);
  const words = Uint32Array.from({ length: 12 }, (_, i) => (i === 5 ? 2 ** 32 - 1 : random.integer(2 ** 32)));
  const firstWord = 2;
  const isSet = (bit: number) => (((words[firstWord + (bit >>> 5)] ?? 0) >>> (bit & 31)) & 1) === 1;
  for (let run = 0; run < 500; run++) {
    const from = random.integer(200);
    const until = from + random.integer(320 - from + 1);
    const range = { words, firstWord, from, until };
    const expected = Array.from({ length: until - from }, (_, i) => from + i).filter(isSet);
    const visited: number[] = [];
    visitSet(range, (slot) => visited.push(slot));
    assert.deepEqual(visited, expected);
    assert.equal(countSet(range, 1_000), expected.length);
  }
});

test('stops counting soon after enough', () => {
  const words = new Uint32Array(100).fill(2 ** 32 - 1);
  assert.equal(countSet({ words, firstWord: 0, from: 0, until: 3_200 }, 40), 64);
});
