// When searches on a real PostgreSQL with pgvector are made exactly, because the graph has found too little.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Metric } from '../../src/domain/index-model.ts';
import { dense, sampleProfile, sampleQuery, where } from '../../src/engine/conformance/sample-data.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';
import { statementsOf } from './statements.ts';

const RECORDS = 200;
/** More than are searched exactly. */
const COUNTED_RECORDS = 20_000;
const TOP_K = 10;

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('a search of a large namespace', () => {
    after(() => server.stop());

    for (const metric of ['cosine', 'euclidean', 'dotproduct'] as const)
      it(`is exact where the graph yields fewer than two candidates for each result, asked once: ${metric}`, async () => {
        const url = await server.newDatabase();
        const engine = await PostgresEngine.open({ url, connectionsMax: 4 });
        await assertExactWhereFew(engine, metric, (sql) => server.run(sql, url));
        await engine.close();
      });
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

async function assertExactWhereFew(
  engine: PostgresEngine,
  metric: Metric,
  run: (sql: string) => Promise<unknown>,
): Promise<void> {
  const profile = sampleProfile({ id: 'one', metric });
  await engine.createIndex(profile);
  // On a circle, on which all metrics agree.
  const records = Array.from({ length: RECORDS }, (_, n) =>
    dense(`r${n}`, [Math.cos(n / RECORDS), Math.sin(n / RECORDS), 0, 0], { n }),
  );
  for (const namespace of ['one', 'another']) await engine.writer(profile).upsert(namespace, records);
  await run(`update pinyon_records.namespaces_one set records = ${COUNTED_RECORDS}`);
  const reader = engine.reader(profile);
  const values = Float32Array.of(1, 0, 0, 0);
  const expected = Array.from({ length: TOP_K }, (_, n) => `r${n}`);
  for (const [bound, structure] of [
    [2 * TOP_K - 1, 'scan'],
    [RECORDS, 'graph'],
  ] as const) {
    const filter = where('n', { op: 'compare', relation: 'lt', bound });
    const request = sampleQuery({ namespace: 'one', values, topK: TOP_K, filter });
    const { matches, explanation } = await reader.explainQuery(request);
    assert.equal(explanation.structure, structure, `${bound} matches`);
    // The node knows by now that the namespace is large.
    await reader.query(request);
    const { value, statements } = await statementsOf(() => reader.query(request));
    for (const found of [matches, value])
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
      );
    assert.equal(statements.filter(({ text }) => /as candidates/.test(text)).length, 1);
  }
}
