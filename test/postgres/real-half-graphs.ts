// Graphs of half floats on a real PostgreSQL with pgvector: beyond 2,000 dimensions they know numbers less exactly.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import type { Metric } from '../../src/domain/index-model.ts';
import { dense, sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { until } from '../support/until.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';

const DIMENSION = 2_001;
const RECORDS_EACH = 10;
/** Half floats end at 65,504, and have nothing between 0 and 0.00000006. */
const LENGTHS = { huge: 1e12, large: 1e6, usual: 1, small: 1e-6, tiny: 1e-12 };
/** More than are searched exactly. */
const LARGE = 1_000_000;
const TOP_K = 12;
const DAY_MS = 86_400_000;
const SCANS = "select idx_scan as scans from pg_stat_user_indexes where indexrelname = 'graph_half'";

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('a graph of half floats', () => {
    after(() => server.stop());
    for (const metric of ['cosine', 'euclidean', 'dotproduct'] as const)
      it(`takes vectors of every length, and finds what an exact search finds: ${metric}`, async () => {
        const url = await server.newDatabase();
        const engine = await PostgresEngine.open({ url, connectionsMax: 8 });
        await assertFindsAll(engine, { metric, run: (sql) => server.run(sql, url) });
      });

    it('needs no pgvector in the schema public', async () => {
      const url = await server.newDatabase();
      await server.run('create schema "Ext ensions"; create extension vector schema "Ext ensions"', url);
      const engine = await PostgresEngine.open({ url, connectionsMax: 8 });
      const profile = sampleProfile({ id: 'elsewhere', dimension: DIMENSION, metric: 'cosine' });
      await engine.createIndex(profile);
      await engine.writer(profile).upsert('', [dense('a', vector(0, LENGTHS.usual))]);
      assert.equal((await engine.reader(profile).fetch('', ['a'])).length, 1);
      await engine.close();
    });

    it('is built again in as much time as that takes', async (context) => {
      const url = await server.newDatabase();
      const profile = sampleProfile({ id: 'slow', dimension: DIMENSION, metric: 'euclidean' });
      const first = await PostgresEngine.open({ url, connectionsMax: 8 });
      await first.createIndex(profile);
      await first.close();
      await server.run(olderGraph('slow'), url);
      const asked = context.mock.method(pg.Client.prototype, 'query');
      const engine = await PostgresEngine.open({ url, connectionsMax: 8 });
      await engine.close();
      const statements = asked.mock.calls.map(({ arguments: [statement] }) => statement as unknown);
      const builds = statements.filter((each): each is { text: string; query_timeout: number } =>
        /hnsw/.test((each as { text?: string }).text ?? ''),
      );
      assert.equal(builds.length, 1);
      for (const { query_timeout } of builds) assert.ok(query_timeout > DAY_MS);
      assert.ok(
        statements.some((each) => /statement_timeout to 0/.test((each as { text?: string }).text ?? '')),
      );
    });

    for (const shards of ['none', 2] as const)
      it(`is built again where an earlier layout has left one that refuses vectors: shards ${shards}`, async () => {
        const url = await server.newDatabase();
        const profile = sampleProfile({ id: 'older', dimension: DIMENSION, metric: 'euclidean' });
        const first = await PostgresEngine.open({ url, connectionsMax: 8, shards });
        await first.createIndex(profile);
        await first.close();
        await server.run(olderGraph('older'), url);
        const engine = await PostgresEngine.open({ url, connectionsMax: 8 });
        await engine.writer(profile).upsert('', [dense('a', vector(0, LENGTHS.huge))]);
        await engine.close();
      });

    it('is built again beside the old one, while others read and write, and goes on after an end', async () => {
      const url = await server.newDatabase();
      const first = await PostgresEngine.open({ url, connectionsMax: 8 });
      for (const id of ['a', 'b'])
        await first.createIndex(sampleProfile({ id, dimension: DIMENSION, metric: 'euclidean' }));
      await first.close();
      for (const id of ['a', 'b']) await server.run(olderGraph(id), url);
      const writer = new pg.Client({ connectionString: url });
      await writer.connect();
      const told: unknown[] = [];
      const open = () =>
        PostgresEngine.open({ url, connectionsMax: 8, onUpgrade: (upgrade) => void told.push(upgrade) });
      // A transaction that writes: the new graph of the second index waits for its end.
      await writer.query('begin; update pinyon_records.records_b set bytes = 0');
      const opening = open();
      const ended = opening.then(
        () => 'opened',
        () => 'failed',
      );
      const building = "from pg_stat_activity where query like 'create index%concurrently%records_b%'";
      await until(
        async () => (await server.run(`select pid ${building} and wait_event_type = 'Lock'`, url)).length > 0,
        'a build that waits',
      );
      await server.run(
        "set lock_timeout to '5s'; update pinyon_records.records_b set bytes = 0; select from pinyon_records.records_b",
        url,
      );
      await server.run(`select pg_terminate_backend(pid) ${building}`, url);
      assert.equal(await ended, 'failed');
      await writer.end();
      const graphs = () =>
        server.run(
          `select relname as name, indisvalid as valid from pg_index join pg_class on pg_class.oid = indexrelid
           where relname ~ '^(next_)?(graph|others)_' order by relname collate "C"`,
          url,
        );
      const valid = (name: string) => ({ name, valid: true });
      const done = ['graph_a', 'graph_b', 'others_a'].map(valid);
      assert.deepEqual(
        (await graphs()).filter(({ name }) => name !== 'next_graph_b'),
        done,
      );
      await (await open()).close();
      assert.deepEqual(await graphs(), ['graph_a', 'graph_b', 'others_a', 'others_b'].map(valid));
      const builds = 'the graph of an index';
      assert.deepEqual(told, [
        { builds, indexId: 'a', indexesLeft: 2 },
        { builds, indexId: 'b', indexesLeft: 1 },
        { builds, indexId: 'b', indexesLeft: 1 },
      ]);
      told.length = 0;
      await (await open()).close();
      assert.deepEqual(told, []);
    });
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

/** SQL that leaves an index as an earlier layout had it. */
function olderGraph(id: string): string {
  return `set search_path to pinyon_records; drop index graph_${id}, others_${id}; update layout set version = 3;
    create index graph_${id} on records_${id} using hnsw ((dense::halfvec(${DIMENSION})) halfvec_l2_ops)`;
}

interface Case {
  readonly metric: Metric;
  readonly run: (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
}

async function assertFindsAll(engine: PostgresEngine, { metric, run }: Case): Promise<void> {
  const profile = sampleProfile({ id: 'half', dimension: DIMENSION, metric });
  await engine.createIndex(profile);
  const lengths = Object.entries(LENGTHS);
  const records = lengths.flatMap(([name, length], of) =>
    Array.from({ length: RECORDS_EACH }, (_, at) =>
      dense(`${name}-${at}`, vector(of * RECORDS_EACH + at, length)),
    ),
  );
  const zero = dense('zero', new Array<number>(DIMENSION).fill(0));
  await engine.writer(profile).upsert('', [...records, zero]);
  const found = async () => {
    const answers = [];
    for (const [, length] of lengths) {
      const request = sampleQuery({ values: Float32Array.from(vector(1_000, length)), topK: TOP_K });
      const { matches, explanation } = await engine.reader(profile).explainQuery(request);
      answers.push({ ids: matches.map(({ id }) => id), structure: explanation.structure });
    }
    return answers;
  };
  const exact = await found();
  await run(`update pinyon_records.namespaces_half set records = ${LARGE}`);
  const byGraph = await found();
  assert.ok(byGraph.some(({ structure }) => structure === 'graph'));
  // Ended connections have told of their scans.
  await engine.close();
  await until(async () => Number((await run(SCANS))[0]?.scans) > 0, 'a scan of the graph');
  for (const [at, { ids }] of exact.entries()) {
    assert.deepEqual(new Set(byGraph[at]?.ids), new Set(ids), lengths[at]?.[0] ?? '');
  }
}

/** Of a random direction. */
function vector(seed: number, length: number): readonly number[] {
  let state = seed + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const values = Array.from({ length: DIMENSION }, next);
  const norm = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.map((value) => (value * length) / norm);
}
