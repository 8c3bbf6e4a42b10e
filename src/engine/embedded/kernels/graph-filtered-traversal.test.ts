// Filtered traversal: how hard a search works, given the local selectivity.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FilteredTraversal } from './graph-interface.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';
import { hardVectors, Random } from './testing/hard-vectors.ts';

const EF = 200;
const TERMINATION = { stableResults: 60, patience: 50, slack: null };
const RARE = { stableResults: 20, patience: 10, slack: null };
/** Passes through all non-matching nodes, and never abandons the search. */
const PASS: FilteredTraversal = {
  localNodes: 100,
  selectivity: 0,
  terminationAtNone: RARE,
  passThroughMin: 0,
  abandonBelow: 0,
  expansionMax: 64,
  preliminary: null,
};
const HOP: FilteredTraversal = { ...PASS, passThroughMin: 101 };

test('terminates earlier where fewer nodes match, and later where they are fewer than the filter has', () => {
  const { fixture, queries } = graph('hard');
  const rest = (every: number, filtered: FilteredTraversal, termination = TERMINATION): number => {
    fixture.setBits(fixture.layout.matching, (slot) => slot % every === 0);
    let nodes = 0;
    for (const query of queries) {
      fixture.prepare(query);
      nodes +=
        fixture.searchGraph(EF, { bitmap: fixture.layout.matching, termination, filtered })?.nodes ?? 0;
    }
    return nodes;
  };
  for (const filtered of [PASS, HOP]) {
    // Where all match, early termination is the search's own; where almost none do, it is the one for none.
    assert.equal(rest(1, filtered), rest(1, { ...filtered, terminationAtNone: TERMINATION }));
    const [rare, between, full] = [
      rest(10, filtered, RARE),
      rest(10, filtered),
      rest(10, { ...filtered, terminationAtNone: TERMINATION }),
    ];
    assert.ok(rare <= between && between < full / 1.5, `${rare}, ${between}, ${full}`);
    assert.equal(rest(10, { ...filtered, selectivity: 0.05 }), rest(10, filtered), 'as many as usual');
    const short = rest(10, { ...filtered, selectivity: 0.5 });
    assert.ok(short > 1.5 * rest(10, filtered), `${short}`);
  }
});

test('enters at the nearest clusters with matches where none are around the query', () => {
  const { fixture, rows, queries } = graph('clustered');
  let found = 0;
  for (const query of queries) {
    fixture.prepare(query);
    const ranked = fixture.rank([...rows.keys()]);
    const matching = new Set(ranked.slice(1_000).map(({ slot }) => slot));
    fixture.setBits(fixture.layout.matching, (slot) => matching.has(slot));
    const filtered = { ...HOP, selectivity: matching.size / rows.length };
    const hits = fixture.search(query, {
      ef: EF,
      bitmap: fixture.layout.matching,
      termination: TERMINATION,
      filtered,
    });
    assert.ok(hits.every(({ slot }) => matching.has(slot)));
    const best = ranked[1_000]?.score ?? 0;
    if ((fixture.rank(hits.map(({ slot }) => slot))[0]?.score ?? 0) >= best) found++;
  }
  assert.ok(found >= 0.9 * queries.length, `${found} of ${queries.length}`);
});

test('trusts a preliminary search where matches lie near the query, but not among rows that lie everywhere', () => {
  const preliminary = { matchesMin: 0, depth: 60, rank: 4, crowdMin: 110, abandonsCrowded: true };
  const filtered: FilteredTraversal = { ...PASS, selectivity: 0.1, preliminary };
  const near = searchTenth(graph('clustered'), filtered);
  assert.ok(near.cut <= 0.2, `${near.cut} given up`);
  assert.ok(near.found >= 0.98, `${near.found} found`);
  assert.ok(near.nodes < 0.4 * searchTenth(graph('clustered'), { ...filtered, preliminary: null }).nodes);
  const further = { ...preliminary, rank: 10 };
  const apart = searchTenth(scattered(), { ...filtered, preliminary: further });
  assert.ok(apart.cut >= 0.7, `${apart.cut} given up`);
  const on = searchTenth(scattered(), { ...filtered, preliminary: { ...further, abandonsCrowded: false } });
  assert.equal(on.cut, 0);
  assert.ok(on.nodes > apart.nodes + TERMINATION.patience, 'goes on as without');
});

/**
 * Searches for the five nearest of a tenth of the rows.
 * @returns means per query; `found`: of searches that were not abandoned
 */
function searchTenth({ fixture, rows, queries }: Graph, filtered: FilteredTraversal) {
  const isMatch = (slot: number) => slot % 10 === 0;
  fixture.setBits(fixture.layout.matching, isMatch);
  const matching = [...rows.keys()].filter(isMatch);
  const sums = { cut: 0, nodes: 0, found: 0 };
  for (const query of queries) {
    fixture.prepare(query);
    const results = fixture.searchGraph(EF, {
      bitmap: fixture.layout.matching,
      termination: TERMINATION,
      filtered,
    });
    assert.ok(results !== null);
    sums.nodes += results.nodes / queries.length;
    if (results.isAbandoned) sums.cut += 1 / queries.length;
    const slots = new Set(fixture.slotsOf(results));
    const best = fixture.rank(matching).slice(0, 5);
    if (!results.isAbandoned) sums.found += best.filter(({ slot }) => slots.has(slot)).length / best.length;
  }
  return { ...sums, found: sums.found / (queries.length * (1 - sums.cut)) };
}

interface Graph {
  readonly fixture: GraphFixture;
  readonly rows: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

/** In clusters of ten rows each, all about as far from one another. */
function scattered(): Graph {
  const next = hardVectors(new Random(78), { dim: 64, latentDim: 64, clusters: 400 });
  const all = Array.from({ length: 4_030 }, () => next().slice());
  const [rows, queries] = [all.slice(30), all.slice(0, 30)];
  return { fixture: graphOf(rows), rows, queries };
}

function graph(data: 'hard' | 'clustered'): Graph {
  const { rows, queries } = graphVectors(data, { dim: 32, rows: 6_000, queries: 30 });
  return { fixture: graphOf(rows), rows, queries };
}

function graphOf(rows: readonly Float32Array[]): GraphFixture {
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows });
  fixture.insert();
  return fixture;
}
