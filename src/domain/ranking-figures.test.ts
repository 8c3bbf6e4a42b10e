// Figures of rankings, against values worked out by hand.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  meanOf,
  ndcgOf,
  overlapOf,
  rankBiasedOverlap,
  recallOf,
  reciprocalRankOf,
} from './ranking-figures.ts';

it('counts what two rankings share', () => {
  assert.equal(overlapOf(['a', 'b'], ['b', 'c']), 0.5);
  assert.equal(overlapOf(['a', 'b', 'c', 'd'], ['a']), 0.25);
  assert.deepEqual([overlapOf([], []), overlapOf(['a'], [])], [1, 0]);
});

it('weighs the first ranks most', () => {
  assert.equal(rankBiasedOverlap(['a', 'b'], ['a', 'b']), 1);
  assert.equal(rankBiasedOverlap(['a'], ['b']), 0);
  // Ranks 1 and 2 share 0 and 2 of 2, with the weights 1 and 0.9.
  assert.ok(Math.abs(rankBiasedOverlap(['a', 'b'], ['b', 'a']) - 0.9 / 1.9) < 1e-12);
});

it('measures recall and gain by the records that answer', () => {
  const relevant = new Set(['a', 'b']);
  assert.equal(recallOf(['x', 'a', 'y'], relevant), 0.5);
  const grades = new Map([...relevant].map((id) => [id, 1]));
  assert.equal(ndcgOf(['a', 'b', 'x'], grades, 3), 1);
  const gains = [1, 1 / Math.log2(3)];
  assert.ok(Math.abs(ndcgOf(['x', 'a'], grades, 2) - (gains[1] ?? 0) / (1 + (gains[1] ?? 0))) < 1e-12);
  assert.deepEqual([ndcgOf([], grades, 10), meanOf([]), meanOf([1, 0])], [0, null, 0.5]);
});

it('weighs grades, and counts the first k results alone', () => {
  const grades = new Map([
    ['perfect', 3],
    ['good', 1],
    ['wrong', 0],
  ]);
  const best = 7 + 1 / Math.log2(3);
  assert.equal(ndcgOf(['perfect', 'good'], grades, 10), 1);
  assert.ok(Math.abs(ndcgOf(['good', 'perfect'], grades, 10) - (1 + 7 / Math.log2(3)) / best) < 1e-12);
  assert.ok(Math.abs(ndcgOf(['wrong', 'x', 'perfect'], grades, 10) - 7 / Math.log2(4) / best) < 1e-12);
  assert.equal(ndcgOf(['wrong', 'x', 'perfect'], grades, 2), 0);
  assert.equal(ndcgOf(['perfect', 'x'], grades, 1), 1);
});

it('measures how far up the first relevant record is', () => {
  const relevant = new Set(['a', 'b']);
  assert.deepEqual(
    [['a'], ['x', 'b', 'a'], ['x'], []].map((found) => reciprocalRankOf(found, relevant)),
    [1, 0.5, 0, 0],
  );
});
