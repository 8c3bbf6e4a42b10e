// Maximal marginal relevance against its definition, computed anew for each choice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Metric } from '../../domain/metric.ts';
import { referenceScore } from '../../engine/reference/reference-score.ts';
import { diversify } from './diversify.ts';
import type { Match } from './record-access.ts';

const DIMENSION = 3;
const RUNS = { seed: 62, numRuns: 400 };

const vector = fc
  .array(fc.integer({ min: -4, max: 4 }), { minLength: DIMENSION, maxLength: DIMENSION })
  .map((values) => Float32Array.from(values, (value, i) => (i === 0 && value === 0 ? 1 : value)));
const metric = fc.constantFrom<Metric>('cosine', 'dotproduct', 'euclidean');

/** Higher is more alike. */
function alike(by: Metric, a: Float32Array, b: Float32Array): number {
  const score = referenceScore(by, { values: a, sparse: null }, { values: b, sparse: null }) ?? 0;
  return by === 'euclidean' ? -score : score;
}

function ranked(by: Metric, query: Float32Array, vectors: readonly Float32Array[]): readonly Match[] {
  const matches = vectors.map((values, i) => {
    const likeness = alike(by, query, values);
    return { id: `r${i}`, values, score: by === 'euclidean' ? -likeness : likeness };
  });
  return matches.sort((a, b) => (by === 'euclidean' ? a.score - b.score : b.score - a.score));
}

test('chooses each match by its relevance less its likeness to those chosen before', () => {
  fc.assert(
    fc.property(
      metric,
      vector,
      fc.array(vector, { maxLength: 12 }),
      fc.integer({ min: 1, max: 14 }),
      fc.constantFrom(0, 0.25, 0.5, 0.9, 1),
      (by, query, vectors, topK, weight) => {
        const candidates = ranked(by, query, vectors);
        const chosen = diversify(candidates, { topK, weight, metric: by });
        assert.equal(chosen.length, Math.min(topK, candidates.length));
        assert.equal(new Set(chosen).size, chosen.length);
        if (chosen.length > 0) assert.equal(chosen[0], candidates[0]);
        for (const [position, match] of chosen.entries()) {
          if (position === 0) continue;
          const before = chosen.slice(0, position);
          const worth = (each: Match): number => {
            const values = each.values ?? new Float32Array();
            const likeness = Math.max(
              ...before.map((other) => alike(by, values, other.values ?? new Float32Array())),
            );
            const relevance = by === 'euclidean' ? -each.score : each.score;
            return (1 - weight) * relevance - weight * likeness;
          };
          const others = candidates.filter((each) => !before.includes(each));
          assert.ok(worth(match) >= Math.max(...others.map(worth)) - 1e-9);
        }
      },
    ),
    RUNS,
  );
});

test('keeps the ranking at weight 0', () => {
  fc.assert(
    fc.property(metric, vector, fc.array(vector, { maxLength: 12 }), (by, query, vectors) => {
      const candidates = ranked(by, query, vectors);
      assert.deepEqual(diversify(candidates, { topK: 20, weight: 0, metric: by }), candidates);
    }),
    RUNS,
  );
});
