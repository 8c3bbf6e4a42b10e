// Fuses rankings: by ranks and by scores, with weights, in a fixed order.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fuseRankings, type Ranking } from './fuse-rankings.ts';

const K = 60;

function ranking(scores: Readonly<Record<string, number>>, more: Partial<Ranking> = {}): Ranking {
  const matches = Object.entries(scores).map(([id, score]) => ({ id, score }));
  return { matches, weight: 1, isAscending: false, scoreMax: null, ...more };
}

describe('fuseRankings', () => {
  it('adds the reciprocal ranks of a record in all rankings', () => {
    const fused = fuseRankings([ranking({ a: 9, b: 8 }), ranking({ b: 0.2, c: 0.1 })], {
      fusion: { method: 'rrf', k: K },
      topK: 10,
    });
    assert.deepEqual(fused, [
      { id: 'b', score: 1 / (K + 2) + 1 / (K + 1) },
      { id: 'a', score: 1 / (K + 1) },
      { id: 'c', score: 1 / (K + 2) },
    ]);
  });

  it('scales the scores of each ranking to 0..1, lowest first where a distance ranks', () => {
    const near = ranking({ a: 1, b: 3, c: 5 }, { isAscending: true });
    const fused = fuseRankings([near, ranking({ c: 4, b: 2 }, { weight: 0.5 })], {
      fusion: { method: 'weighted' },
      topK: 10,
    });
    assert.deepEqual(fused, [
      { id: 'a', score: 1 },
      { id: 'b', score: 0.5 },
      { id: 'c', score: 0.5 },
    ]);
  });

  it('counts scores by words by their share of what the words could give', () => {
    const byWords = ranking({ a: 10, b: 2 }, { scoreMax: 20 });
    const fused = fuseRankings([byWords, ranking({ b: 0.9, c: 0.8 })], {
      fusion: { method: 'weighted' },
      topK: 10,
    });
    assert.deepEqual(
      fused,
      [
        { id: 'a', score: 5 * 0.5 ** 2 },
        { id: 'b', score: 5 * 0.1 ** 2 + 1 },
        { id: 'c', score: 0 },
      ].sort((one, other) => other.score - one.score),
    );
  });

  it('counts equal scores as the best, and scores that are not finite as nothing', () => {
    const fused = fuseRankings([ranking({ a: 2, b: 2 }), ranking({ c: Infinity, b: 1 })], {
      fusion: { method: 'weighted' },
      topK: 10,
    });
    assert.deepEqual(fused, [
      { id: 'b', score: 2 },
      { id: 'a', score: 1 },
      { id: 'c', score: 0 },
    ]);
  });

  it('keeps the top, with ties in the order of their ids', () => {
    const fusion = { method: 'rrf', k: K } as const;
    const fused = fuseRankings([ranking({ b: 1 }), ranking({ a: 1 })], { fusion, topK: 1 });
    assert.deepEqual(
      fused.map(({ id }) => id),
      ['a'],
    );
    assert.deepEqual(fuseRankings([ranking({})], { fusion, topK: 5 }), []);
  });
});
