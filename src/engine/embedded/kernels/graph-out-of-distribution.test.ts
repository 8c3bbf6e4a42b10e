// The out-of-distribution ratio: high where a search has ended far from its query, by the spacing of its results'
// neighbors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clustered } from '../testing/soak/data-sets.ts';
import type { GraphResults } from './graph-interface.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS, METRICS } from './testing/kernel-fixture.ts';
import { score } from './testing/reference.ts';

const ROWS = 1_500;
const DIM = 24;
const QUERIES = 30;
/** 1 - cosine, or the squared distance for that metric. */
const FAR = 4;
const NEAR = 3;
/** From here on, a row belongs to the query's own cluster. */
const OWN_COSINE = 0.7;

for (const build of BUILDS) {
  for (const metric of METRICS) {
    test(`${build}, ${metric}: is high for a query whose own cluster does not match, and low for another`, () => {
      const next = clustered(DIM).make(new Random(3), ROWS);
      const rows = Array.from({ length: ROWS }, next);
      const fixture = new GraphFixture({ build, metric, rows });
      fixture.insert();
      const outOfDistributionRatio = (bitmap: number): number => {
        const found = fixture.searchGraph(64, { bitmap });
        assert.ok(found !== null && found.count > 0);
        const before = fixture.slotsOf(found);
        const answer = ratioIn(fixture, found);
        assert.deepEqual(fixture.slotsOf(found), before, 'the findings stay');
        return answer;
      };
      let outside = 0;
      for (let i = 0; i < QUERIES; i++) {
        const vector = next();
        fixture.prepare(vector);
        const near = outOfDistributionRatio(0);
        assert.ok(near < NEAR, `${near} among its own`);
        const isOwn = (slot: number) => score('cosine', vector, rows[slot] ?? vector) > OWN_COSINE;
        fixture.setBits(fixture.layout.matching, (slot) => !isOwn(slot));
        const far = outOfDistributionRatio(fixture.layout.matching);
        if (far > FAR) outside++;
      }
      assert.ok(outside >= 0.9 * QUERIES, `${outside} of ${QUERIES} are outside`);
    });
  }
}

test('stays low among copies for a query that has found its like', () => {
  const random = new Random(4);
  const row = () => Float32Array.from({ length: DIM }, () => random.normal());
  const copied = row();
  for (const metric of METRICS) {
    const fixture = new GraphFixture({
      build: 'plain',
      metric,
      rows: Array.from({ length: 60 }, () => copied),
    });
    fixture.insert();
    fixture.prepare(copied);
    const found = fixture.searchGraph(8);
    assert.ok(found !== null);
    const answer = ratioIn(fixture, found);
    assert.ok(answer < NEAR, `${metric}: ${answer}`);
  }
});

/** Of the first result for the prepared query. */
function ratioIn(fixture: GraphFixture, found: GraphResults): number {
  const { graph, query, scratches } = fixture.layout;
  const key = new Float32Array(fixture.memory.buffer, found.entries, 1)[0] ?? 0;
  const best = { slot: fixture.slotsOf(found)[0] ?? 0, key };
  return fixture.kernel.graph.outOfDistributionRatio({ graph, query, result: best, scratch: scratches[0] });
}
