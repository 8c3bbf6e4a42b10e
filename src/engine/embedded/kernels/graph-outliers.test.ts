// Outliers, far from all other rows and about as far from many: searches from nearby find them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphFixture } from './testing/graph-fixture.ts';
import { Random } from './testing/hard-vectors.ts';

const DIM = 24;
/** Few and large, so that no beam holds a whole cluster, and outliers are about as far from several. */
const CLUSTERS = 20;
const CLUSTERED = 4_000;
const CLUSTER_SPREAD = 0.1;
const ALONE = 40;
const ALONE_SPREAD = 0.2;
/** As plans have it for one result. */
const EF = 117;
const TERMINATION = { stableResults: 35, patience: 41, slack: null };

for (const metric of ['cosine', 'euclidean'] as const) {
  test(`${metric}: finds an outlier for a query beside it, whichever cluster the search ends in`, () => {
    const random = new Random(5);
    const normals = () => Float32Array.from({ length: DIM }, () => random.normal());
    const around = (center: Float32Array, spread: number) =>
      normals().map((value, at) => (center[at] ?? 0) + spread * value);
    const centers = Array.from({ length: CLUSTERS }, normals);
    const clustered = Array.from({ length: CLUSTERED }, (_, i) =>
      around(centers[i % CLUSTERS] ?? normals(), CLUSTER_SPREAD),
    );
    const alone = Array.from({ length: ALONE }, normals);
    const fixture = new GraphFixture({ build: 'plain', metric, rows: [...clustered, ...alone] });
    fixture.insert();
    let queryCount = 0;
    let found = 0;
    for (const [i, row] of [...alone, ...alone, ...alone].entries()) {
      const slot = CLUSTERED + (i % ALONE);
      fixture.prepare(around(row, ALONE_SPREAD));
      const results = fixture.searchGraph(EF, { termination: TERMINATION });
      assert.ok(results !== null);
      queryCount++;
      if (fixture.slotsOf(results)[0] === slot) found++;
    }
    assert.ok(found >= 0.97 * queryCount, `${found} of ${queryCount}`);
  });
}
