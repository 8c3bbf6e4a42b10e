// How hard a filtered walk searches: by what share of the nodes around the query is wanted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphFixture } from './graph-fixture.ts';
import type { GraphCrossing } from './graph-interface.ts';
import { graphVectors } from './graph-vectors.ts';

const KEEP = 200;
const STOP = { settled: 60, patience: 50 };
const RARE = { settled: 20, patience: 10 };
/** Passes through whatever is unwanted, and never gives up. */
const PASS: GraphCrossing = { look: 100, usual: 0, stopRare: RARE, passFrom: 0, cutBelow: 0, enough: 64 };
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

function graph(data: 'hard' | 'clustered') {
  const { rows, queries } = graphVectors(data, { dim: 32, rows: 6_000, queries: 30 });
  const fixture = new GraphFixture({ build: 'plain', metric: 'cosine', rows });
  fixture.insert();
  return { fixture, rows, queries };
}
