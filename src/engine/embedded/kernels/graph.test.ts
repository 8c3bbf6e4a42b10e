// Graphs: recall, soundness and limits, on every kind of data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effort, pairs } from '../testing/effort.ts';
import type { GraphSearch } from './graph.ts';
import { MAX_DEGREE_BOUND } from './layout.ts';
import { assertSound, recallAt10 } from './testing/graph-checks.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { GRAPH_DATA, graphVectors } from './testing/graph-vectors.ts';
import { BUILDS, byRank, METRICS } from './testing/kernel-fixture.ts';

const MAX_DEGREE = 48;
const BEAM = 64;
/** Never passes through non-matching nodes. */
const HOPS = {
  localNodes: 64,
  selectivity: 0,
  terminationAtNone: null,
  passThroughMin: 65,
  abandonBelow: 0,
  expansionMax: 64,
  preliminary: null,
};

for (const [data, metric] of pairs(GRAPH_DATA, METRICS)) {
  test(`${data}, ${metric}: finds 98 % of the 10 nearest with an ef of ${BEAM}, and reaches every node`, () => {
    const size = { dim: 64, rows: effort({ daily: 2_000, long: 5_000 }), queries: 50 };
    const { rows, queries } = graphVectors(data, size);
    const fixture = new GraphFixture({ build: 'plain', metric, rows, maxDegree: MAX_DEGREE });
    fixture.insert();
    assertSound(fixture, { maxDegree: MAX_DEGREE });
    const recall = recallAt10(fixture, queries, { ef: BEAM });
    assert.ok(recall >= 0.98, `${recall}`);
  });
}

test('builds the same graph and finds the same best in both builds, however far codes fill their blocks', () => {
  for (const [dim, metric] of pairs([16, 40, 64], METRICS)) {
    const { rows, queries } = graphVectors('unnormalized', { dim, rows: 400, queries: 10 });
    const [plain, relaxed] = BUILDS.map((build) => new GraphFixture({ build, metric, rows }));
    assert.ok(plain !== undefined && relaxed !== undefined);
    assert.equal(plain.insert(), relaxed.insert());
    for (const slot of rows.keys())
      assert.deepEqual(plain.nodes.neighborsOf(slot), relaxed.nodes.neighborsOf(slot));
    // The last of the beam may differ: one of the two measures roughly on the way.
    const best = (fixture: GraphFixture, query: Float32Array) =>
      fixture.search(query, { ef: 40 }).slice(0, 20);
    for (const query of queries) assert.deepEqual(best(plain, query), best(relaxed, query));
  }
});

for (const build of BUILDS) {
  test(`${build}: keeps recall at dimensions 1, 2, 3, 8, 17, 1537 and 2000, whose rows need padding`, () => {
    for (const [dim, metric] of pairs([1, 2, 3, 8, 17, 1537, 2000], METRICS)) {
      const { rows, queries } = graphVectors('hard', { dim, rows: dim > 1000 ? 150 : 400, queries: 10 });
      const fixture = new GraphFixture({ build, metric, rows, maxDegree: 32 });
      fixture.insert();
      assertSound(fixture, { maxDegree: 32 });
      const recall = recallAt10(fixture, queries, { ef: 128 });
      assert.ok(recall >= 0.98, `${dim} ${metric} ${recall}`);
    }
  });
}

test('searches graphs with so many edges that those of two nodes exceed a batch', () => {
  const { rows, queries } = graphVectors('hard', { dim: 16, rows: 600, queries: 10 });
  for (const maxDegree of [64, 65, MAX_DEGREE_BOUND]) {
    const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree });
    fixture.insert();
    assertSound(fixture, { maxDegree });
    const recall = recallAt10(fixture, queries, { ef: BEAM });
    assert.ok(recall >= 0.98, `${maxDegree}: ${recall}`);
  }
});

test('builds a sound graph of identical rows, zero or not, in which searches end', () => {
  for (const metric of METRICS) {
    for (const value of [0, 1]) {
      const rows = Array.from({ length: effort({ daily: 600, long: 3_000 }) }, () =>
        new Float32Array(8).fill(value),
      );
      const fixture = new GraphFixture({ build: 'plain', metric, rows, maxDegree: 16, efConstruction: 32 });
      fixture.insert();
      assertSound(fixture, { maxDegree: 16 });
      assert.equal(fixture.search(new Float32Array(8).fill(1), { ef: 50 }).length, 10);
    }
  }
});

test('finds nothing in an empty graph, and the node of a graph of one', () => {
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows: [new Float32Array([1, 2])] });
  assert.deepEqual(fixture.search(new Float32Array([1, 1]), { ef: 5 }), []);
  fixture.insert();
  const hits = fixture.search(new Float32Array([1, 1]), { ef: 5 });
  assert.deepEqual(
    hits.map((hit) => hit.slot),
    [0],
  );
});

test('finds all nodes of small graphs, and all that match', () => {
  const { rows, queries } = graphVectors('hard', { dim: 24, rows: 100, queries: 3 });
  for (let count = 1; count <= rows.length; count += count < 12 ? 1 : 11) {
    const fixture = new GraphFixture({ build: 'plain', metric: 'euclidean', rows: rows.slice(0, count) });
    fixture.insert();
    const { matching } = fixture.layout;
    fixture.setBits(matching, (slot) => slot % 3 === 0);
    for (const query of queries) {
      assert.equal(fixture.search(query, { ef: count }).length, count);
      const found = fixture.search(query, { ef: count, bitmap: matching, filtered: HOPS });
      assert.deepEqual(
        found.map(({ slot }) => slot).sort((a, b) => a - b),
        Array.from({ length: Math.ceil(count / 3) }, (_, at) => 3 * at),
      );
    }
  }
});

test('finds matches alone by two-hop expansion, and abandons a search only when requested', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 5000, queries: 30 });
  for (const build of BUILDS) {
    const fixture = new GraphFixture({ build, metric: 'cosine', rows, maxDegree: MAX_DEGREE });
    fixture.insert();
    for (const every of [3, 10, 20]) {
      const isMatch = (slot: number) => slot % every === 0;
      fixture.setBits(fixture.layout.matching, isMatch);
      const search = { ef: 128, bitmap: fixture.layout.matching, filtered: HOPS };
      const recall = recallAt10(fixture, queries, { ...search, isMatch });
      assert.ok(recall >= 0.98, `one of ${every}: ${recall}`);
      const results = fixture.searchGraph(128, { ...search, filtered: { ...HOPS, abandonBelow: 65 } });
      assert.equal(results?.isAbandoned, true);
    }
  }
});

test('enters at clusters with matches for two-hop expansion, however far from the query', () => {
  const { rows, queries } = graphVectors('clustered', { dim: 64, rows: 5000, queries: 30 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });
  fixture.insert();
  for (const query of queries) {
    fixture.prepare(query);
    const ranked = fixture.rank([...rows.keys()]).map(({ slot }) => slot);
    const farthest = new Set(ranked.slice(-500));
    fixture.setBits(fixture.layout.matching, (slot) => farthest.has(slot));
    const search = { ef: 200, bitmap: fixture.layout.matching, filtered: HOPS };
    const found = fixture.search(query, search).map(({ slot }) => slot);
    assert.ok(found.length >= 150 && found.every((slot) => farthest.has(slot)), `${found.length}`);
  }
});

test('offers what scans of all frames offer when it scans the graph, to the bit or nearly', () => {
  const { rows, queries } = graphVectors('unnormalized', { dim: 40, rows: 2000, queries: 3 });
  for (const metric of METRICS) {
    const fixture = new GraphFixture({ build: 'plain', metric, rows: [...rows, new Float32Array(40)] });
    fixture.insert();
    for (const every of [1, 2, 7, 150]) {
      fixture.setBits(fixture.layout.matching, (slot) => slot % every === 0);
      for (const query of queries) {
        fixture.prepare(query);
        const [byFrames, byGraph] = [fixture.scanFrames(50), fixture.scanGraph(50)];
        assert.equal(byGraph.length, Math.min(50, Math.ceil(2001 / every)));
        for (const [at, { key }] of byGraph.entries()) {
          const other = byFrames[at]?.key ?? Number.NaN;
          assert.ok(
            key === other || Math.abs(key - other) <= 1e-5 * Math.abs(other) + 1e-5,
            `${key} ${other}`,
          );
        }
      }
    }
  }
});

test('rejects rows and queries that codes cannot describe', () => {
  const rows = [new Float32Array([1, 2]), new Float32Array([1e30, 1])];
  const fixture = new GraphFixture({ build: 'plain', metric: 'euclidean', rows });
  const { graph, scratches } = fixture.layout;
  const insert = (slot: number) =>
    fixture.kernel.graph.insert({ graph, slot, slotLimit: 2, efConstruction: 8, scratch: scratches[0] });
  assert.equal(insert(0), true);
  assert.equal(insert(1), false);
  fixture.prepare(new Float32Array([1e30, 1]));
  assert.equal(fixture.searchGraph(5), null);
});

test('returns scores by codes as keys, best first, and counts nodes and distances', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 500, queries: 1 });
  for (const metric of METRICS) {
    const fixture = new GraphFixture({ build: 'plain', metric, rows });
    fixture.insert();
    fixture.prepare(queries[0] ?? new Float32Array(64));
    const found = fixture.searchGraph(20);
    assert.ok(found !== null && found.count === 20);
    assert.ok(found.nodes >= 20 && found.distances > found.nodes && found.distances <= rows.length);
    const keys = new Float32Array(fixture.memory.buffer, found.entries, 40).filter((_, at) => at % 2 === 0);
    assert.deepEqual(keys, keys.slice().sort().reverse());
    const scores = new Map(fixture.rank(fixture.slotsOf(found)).map((hit) => [hit.slot, hit.score]));
    for (const [at, slot] of fixture.slotsOf(found).entries())
      assert.ok(Math.abs((keys[at] ?? 0) - (scores.get(slot) ?? 0)) < 0.01);
  }
});

test('returns the requested candidates of a beam, the nearest of all, with the keys they have among all', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 2000, queries: 20 });
  for (const [build, metric] of pairs(BUILDS, METRICS)) {
    const fixture = new GraphFixture({ build, metric, rows });
    fixture.insert();
    for (const query of queries) {
      fixture.prepare(query);
      const found = (candidates: number) => {
        const results = fixture.searchGraph(200, { candidates });
        return results === null ? [] : fixture.keysOf(results);
      };
      const all = found(200);
      assert.equal(all.length, 200);
      for (const candidates of [1, 30, 500]) {
        const some = found(candidates);
        assert.equal(some.length, Math.min(candidates, all.length));
        assert.deepEqual(some, some.toSorted(byRank));
        const known = new Map(all.map(({ slot, key }) => [slot, key]));
        assert.ok(some.every(({ slot, key }) => known.get(slot) === key));
        const best = all.slice(0, candidates >> 1);
        assert.ok(best.every(({ slot }) => some.some((each) => each.slot === slot)));
      }
    }
  }
});

test('does less with early termination, and finds nearly as much', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 4000, queries: 50 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });
  fixture.insert();
  fixture.setBits(fixture.layout.matching, (slot) => slot % 2 === 0);
  for (const bitmap of [0, fixture.layout.matching]) {
    const isMatch = (slot: number) => bitmap === 0 || slot % 2 === 0;
    const effort = (termination: GraphSearch['termination']) => {
      let distances = 0;
      for (const query of queries) {
        fixture.search(query, { ef: 128, bitmap, termination });
        distances += fixture.lastDistances;
      }
      return distances;
    };
    const termination = { stableResults: 15, patience: 32, slack: null };
    assert.ok(effort(termination) < 0.8 * effort(null));
    assert.ok(recallAt10(fixture, queries, { ef: 128, bitmap, isMatch, termination }) >= 0.98);
  }
});

test('expands what lies within the slack, and so finds what patience alone misses', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 4000, queries: 50 });
  for (const metric of METRICS) {
    const fixture = new GraphFixture({ build: 'plain', metric, rows, maxDegree: MAX_DEGREE });
    fixture.insert();
    fixture.setBits(fixture.layout.matching, (slot) => slot % 2 === 0);
    for (const bitmap of [0, fixture.layout.matching]) {
      const isMatch = (slot: number) => bitmap === 0 || slot % 2 === 0;
      const recalls = [null, 0.05, 0.2].map((share) => {
        const slack = share === null ? null : { rank: 10, share, ef: 512 };
        const termination = { stableResults: 10, patience: 2, slack };
        return recallAt10(fixture, queries, { ef: 512, bitmap, isMatch, termination });
      });
      assert.deepEqual(recalls, recalls.toSorted());
      assert.ok((recalls[0] ?? 1) < 0.98 && (recalls[2] ?? 0) >= 0.98, `${metric}: ${recalls}`);
    }
  }
});

test('continues when the arrays of its frames move', () => {
  const { rows, queries } = graphVectors('hard', { dim: 64, rows: 900, queries: 5 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows, maxDegree: MAX_DEGREE });
  fixture.insert(0, 400);
  fixture.moveFrames();
  fixture.insert(400);
  assertSound(fixture, { maxDegree: MAX_DEGREE });
  assert.equal(recallAt10(fixture, queries, { ef: 128 }), 1);
});

test('ignores slots from a limit on', () => {
  const { rows, queries } = graphVectors('hard', { dim: 16, rows: 300, queries: 5 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows });
  fixture.insert();
  for (const query of queries) {
    fixture.prepare(query);
    const found = fixture.searchGraph(300, { slotLimit: 100 });
    assert.ok(found !== null && found.count > 50);
    assert.ok(fixture.slotsOf(found).every((slot) => slot < 100));
  }
});
