// Rows reflected through a query, and results found apart, whose keys are those of a search.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clustered } from '../testing/soak/data-sets.ts';
import { GraphFixture } from './testing/graph-fixture.ts';
import { Random } from './testing/hard-vectors.ts';
import { BUILDS } from './testing/kernel-fixture.ts';
import { score } from './testing/reference.ts';

const ROWS = 400;
const DIM = 24;
const QUERIES = 20;
/** Of the largest component: what codes of 8 bits lose. */
const CODE_ERROR = 0.01;

for (const build of BUILDS) {
  for (const metric of ['cosine', 'euclidean'] as const) {
    test(`${build}, ${metric}: reflects rows through the query, and gives results found apart the keys of a search`, () => {
      const next = clustered(DIM).make(new Random(5), ROWS);
      const rows = Array.from({ length: ROWS }, next);
      const fixture = new GraphFixture({ build, metric, rows });
      fixture.insert();
      const { graph, query, source, scratches } = fixture.layout;
      for (let i = 0; i < QUERIES; i++) {
        const values = next();
        fixture.prepare(values);
        const found = fixture.searchGraph(32);
        assert.ok(found !== null && found.count > 0);
        const keys = fixture.keysOf(found);
        new Float32Array(fixture.memory.buffer, found.entries, 2 * found.count).forEach((_, at, entries) => {
          if (at % 2 === 0) entries[at] = 0;
        });
        fixture.kernel.graph.keyResults({ graph, query, results: found, scratch: scratches[0] });
        assert.deepEqual(fixture.keysOf(found), keys);
        const slot = keys.at(-1)?.slot ?? 0;
        const row = rows[slot] ?? values;
        fixture.kernel.graph.reflectRow({ graph, query, slot, reflection: source });
        const reflection = new Float32Array(fixture.memory.buffer, source, DIM);
        const length =
          metric === 'cosine' ? score('dotproduct', values, row) / score('dotproduct', values, values) : 1;
        const largest = Math.max(...row.map(Math.abs));
        for (const [at, value] of reflection.entries()) {
          const expected = 2 * length * (values[at] ?? 0) - (row[at] ?? 0);
          assert.ok(Math.abs(value - expected) <= 3 * CODE_ERROR * largest, `${value}, not ${expected}`);
        }
      }
    });
  }
}
