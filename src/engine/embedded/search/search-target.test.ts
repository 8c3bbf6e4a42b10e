// Hits are sorted as answers are, however many there are, and in whatever order they arrive.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { byScore, type Hit, sortHits } from './search-target.ts';

/** Few different scores and ids, so that ties are common. */
const hit = fc.tuple(fc.integer({ min: -3, max: 3 }), fc.nat({ max: 30 }), fc.nat()).map(
  ([score, id, row]): Hit => ({
    record: { id: `${id}`, sparse: null, metadataJson: null },
    row,
    score,
  }),
);

for (const metric of ['cosine', 'dotproduct', 'euclidean'])
  it(`sorts the best first, ties by id, by ${metric}`, () => {
    fc.assert(
      fc.property(fc.array(hit, { maxLength: 80, size: 'max' }), (hits) => {
        assert.deepEqual(sortHits([...hits], metric), hits.toSorted(byScore(metric)));
      }),
      { seed: 50, numRuns: 300 },
    );
  });
