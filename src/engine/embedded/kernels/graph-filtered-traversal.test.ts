// How hard a filtered walk searches: by what share of the nodes around the query is wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GraphCrossing } from './graph-interface.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { graphVectors } from './testing/graph-vectors.ts';
import { hardVectors, Random } from './testing/hard-vectors.ts';

const KEEP = 200;
const STOP = { settled: 60, patience: 50 };
const RARE = { settled: 20, patience: 10 };
/** Passes through whatever is unwanted, and never gives up. */
const PASS: GraphCrossing = {
  look: 100,
  usual: 0,
  stopRare: RARE,
  passFrom: 0,
  cutBelow: 0,
  enough: 64,
  first: null,
};
const HOP: GraphCrossing = { ...PASS, passFrom: 101 };

test('a walk needs less rest where fewer are wanted, and more where they are fewer than usual', () => {
  const { fixture, queries } = graph('hard');
  const rest = (every: number, crossing: GraphCrossing, stop = STOP): number => {
    fixture.setBits(fixture.places.wanted, (slot) => slot % every === 0);
    let nodes = 0;
    for (const query of queries) {
      fixture.prepare(query);
      nodes += fixture.walk(KEEP, { bitmap: fixture.places.wanted, stop, crossing })?.nodes ?? 0;
    }
    return nodes;
  };
  for (const crossing of [PASS, HOP]) {
    // Where all are wanted the stop is the search's own, where next to none are it is the rare one.
    assert.equal(rest(1, crossing), rest(1, { ...crossing, stopRare: STOP }));
    const [rare, between, full] = [
      rest(10, crossing, RARE),
      rest(10, crossing),
      rest(10, { ...crossing, stopRare: STOP }),
    ];
    assert.ok(rare <= between && between < full / 1.5, `${rare}, ${between}, ${full}`);
    assert.equal(rest(10, { ...crossing, usual: 0.05 }), rest(10, crossing), 'as many as usual');
    const short = rest(10, { ...crossing, usual: 0.5 });
    assert.ok(short > 1.5 * rest(10, crossing), `${short}`);
  }
});

test('where none around the query is wanted, a walk begins at the nearest regions that are', () => {
  const { fixture, rows, queries } = graph('clustered');
  let found = 0;
  for (const query of queries) {
    fixture.prepare(query);
    const ranked = fixture.rank([...rows.keys()]);
    const wanted = new Set(ranked.slice(1_000).map(({ slot }) => slot));
    fixture.setBits(fixture.places.wanted, (slot) => wanted.has(slot));
    const crossing = { ...HOP, usual: wanted.size / rows.length };
    const hits = fixture.search(query, { keep: KEEP, bitmap: fixture.places.wanted, stop: STOP, crossing });
    assert.ok(hits.every(({ slot }) => wanted.has(slot)));
    const best = ranked[1_000]?.score ?? 0;
    if ((fixture.rank(hits.map(({ slot }) => slot))[0]?.score ?? 0) >= best) found++;
  }
  assert.ok(found >= 0.9 * queries.length, `${found} of ${queries.length}`);
});

test('a short walk does where the wanted lie near the query, and is not relied on among rows that lie everywhere', () => {
  const first = { from: 0, depth: 60, front: 4, many: 110, isScan: true };
  const crossing: GraphCrossing = { ...PASS, usual: 0.1, first };
  const near = searchTenth(graph('clustered'), crossing);
  assert.ok(near.cut <= 0.2, `${near.cut} given up`);
  assert.ok(near.found >= 0.98, `${near.found} found`);
  assert.ok(near.nodes < 0.4 * searchTenth(graph('clustered'), { ...crossing, first: null }).nodes);
  const further = { ...first, front: 10 };
  const apart = searchTenth(scattered(), { ...crossing, first: further });
  assert.ok(apart.cut >= 0.7, `${apart.cut} given up`);
  const on = searchTenth(scattered(), { ...crossing, first: { ...further, isScan: false } });
  assert.equal(on.cut, 0);
  assert.ok(on.nodes > apart.nodes + STOP.patience, 'goes on as without');
});

/** Asks for the five best of a tenth of the rows. @returns means of a query; `found`: of those that did not give up */
function searchTenth({ fixture, rows, queries }: Graph, crossing: GraphCrossing) {
  const isWanted = (slot: number) => slot % 10 === 0;
  fixture.setBits(fixture.places.wanted, isWanted);
  const wanted = [...rows.keys()].filter(isWanted);
  const sums = { cut: 0, nodes: 0, found: 0 };
  for (const query of queries) {
    fixture.prepare(query);
    const findings = fixture.walk(KEEP, { bitmap: fixture.places.wanted, stop: STOP, crossing });
    assert.ok(findings !== null);
    sums.nodes += findings.nodes / queries.length;
    if (findings.isCut) sums.cut += 1 / queries.length;
    const slots = new Set(fixture.slotsOf(findings));
    const best = fixture.rank(wanted).slice(0, 5);
    if (!findings.isCut) sums.found += best.filter(({ slot }) => slots.has(slot)).length / best.length;
  }
  return { ...sums, found: sums.found / (queries.length * (1 - sums.cut)) };
}

interface Graph {
  readonly fixture: GraphFixture;
  readonly rows: readonly Float32Array[];
  readonly queries: readonly Float32Array[];
}

/** Of clusters of ten rows each, all about as far from one another. */
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
