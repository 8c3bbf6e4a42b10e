// Deleting namespaces and records of any number on a real PostgreSQL: gone at once, their rows in the background.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { articles, TEXTS_ONLY } from '../../src/engine/conformance/document-data.ts';
import {
  dense,
  EVERYTHING,
  sampleProfile,
  sparseOf,
  where,
} from '../../src/engine/conformance/sample-data.ts';
import { packRecords } from '../../src/engine/port/packed-records.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { ADVISORY_LOCKS } from '../../src/platform/postgres/advisory-locks.ts';
import { until } from '../support/until.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';
import { statementsOf } from './statements.ts';

/** Several steps of 1,000. */
const RECORDS = 2_500;
const PROFILE = sampleProfile({ id: 'one', metric: 'dotproduct' });
const TABLES = ['records', 'postings', 'fields', 'namespace_removals'];

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('a deletion on PostgreSQL', () => {
    after(() => server.stop());
    describeNamespaces(server);
    describeFilters(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function records(count: number, of: string) {
  return Array.from({ length: count }, (_, at) => ({
    ...dense(`r${at}`, [1, at, 0, 0], { of, n: at }),
    sparse: sparseOf([[at, 1]]),
  }));
}

async function filled(engine: PostgresEngine, namespace: string, count = RECORDS): Promise<void> {
  await engine.createIndex(PROFILE);
  const all = records(count, namespace);
  for (let first = 0; first < count; first += 1_000)
    await engine.writer(PROFILE).upsert(namespace, all.slice(first, first + 1_000));
}

/** A database, and an engine on it. */
async function scene(server: RealPostgres) {
  const url = await server.newDatabase();
  const open = () => PostgresEngine.open({ url, connectionsMax: 4 });
  /** Rows in the tables of the index, and namespaces that are to be removed. */
  const rowsLeft = async () => {
    const counts = TABLES.map((table) =>
      table.startsWith('namespace')
        ? `(select count(*)::int from pinyon_records.${table}) as ${table}`
        : `(select count(*)::int from pinyon_records."${table}_one") as ${table}`,
    );
    const [row] = await server.run(`select ${counts.join(', ')}`, url);
    return TABLES.map((table) => Number(row?.[table]));
  };
  /** Keeps all engines from removing rows until the returned function is called. */
  const holdUp = async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query(`select pg_advisory_lock(${ADVISORY_LOCKS.removing})`);
    return () => other.end();
  };
  const isEmpty = async () => (await rowsLeft()).every((count) => count === 0);
  return { url, open, rowsLeft, holdUp, isEmpty };
}

function describeNamespaces(server: RealPostgres): void {
  it('hides a namespace at once, by statements that touch none of its rows, and then removes these', async () => {
    const { open, rowsLeft, holdUp, isEmpty } = await scene(server);
    const engine = await open();
    await filled(engine, 'n');
    const [reader, writer] = [engine.reader(PROFILE), engine.writer(PROFILE)];
    const before = await reader.describeNamespace('n');
    const release = await holdUp();
    const { value: lsn, statements } = await statementsOf(() => writer.deleteNamespace('n'));
    assert.deepEqual(
      statements.filter(({ text }) => /"(records|postings|fields)_/.test(text)),
      [],
    );
    assert.ok((await reader.lsn()) >= lsn);
    assert.equal(await reader.describeNamespace('n'), null);
    assert.equal((await reader.listNamespaces({ prefix: '', limit: 10, after: null })).total, 0);
    assert.deepEqual((await reader.recordCounts()).flat(), []);
    assert.equal(await reader.count('n', EVERYTHING), 0);
    assert.equal((await engine.sizeOf(PROFILE)).records, 0);
    assert.deepEqual(await rowsLeft(), [RECORDS, RECORDS, 2, 1]);

    await writer.upsert('n', [dense('r0', [0, 1, 0, 0], { fresh: true })]);
    const again = await reader.describeNamespace('n');
    assert.equal(again?.recordCount, 1);
    assert.notEqual(again?.number, before?.number);
    assert.deepEqual(await reader.indexedFields('n'), ['fresh']);
    assert.deepEqual(
      (await reader.fetch('n', ['r0', 'r1'])).map(({ id }) => id),
      ['r0'],
    );
    await release();
    await writer.deleteNamespace('n');
    await until(isEmpty, 'all rows are removed');
    await engine.close();
  });

  it('is finished after a restart, and by one node at a time', async () => {
    const { open, rowsLeft, holdUp, isEmpty } = await scene(server);
    const first = await open();
    await filled(first, 'n');
    const release = await holdUp();
    await first.writer(PROFILE).deleteNamespace('n');
    await first.close();
    const nodes = await Promise.all([open(), open()]);
    assert.deepEqual(await rowsLeft(), [RECORDS, RECORDS, 2, 1], 'another node has its turn');
    await release();
    for (const node of nodes) await node.close();
    const next = await open();
    await until(isEmpty, 'all rows are removed');
    await next.close();
  });

  it('leaves no row of a namespace that ends with its last record', async () => {
    const { url, open } = await scene(server);
    const engine = await open();
    const profile = sampleProfile({ id: 'texts', ...TEXTS_ONLY });
    await engine.createIndex(profile);
    const writer = engine.writer(profile);
    const texts = articles().map((each) => ({ ...each, values: null }));
    for (const name of ['by ids', 'by filter', 'kept']) await writer.upsert(name, texts);
    await writer.deleteIds(
      'by ids',
      texts.map(({ id }) => id),
    );
    await writer.deleteByFilter('by filter', EVERYTHING);
    const numbers = async (table: string) => {
      const rows = await server.run(`select distinct namespace from pinyon_records."${table}_texts"`, url);
      return rows.map(({ namespace }) => namespace);
    };
    const kept = await engine.reader(profile).describeNamespace('kept');
    for (const table of ['records', 'fields', 'texts', 'text_fields'])
      await until(
        async () => (await numbers(table)).every((number) => Number(number) === kept?.number),
        `no row of ${table} is left`,
      );
    assert.equal((await numbers('text_fields')).length, 1);
    await engine.close();
  });

  it('removes the rows of namespaces that a job has staged and dropped', async () => {
    const { open, isEmpty } = await scene(server);
    const engine = await open();
    await engine.createIndex(PROFILE);
    const staging = engine.staging(PROFILE);
    await staging.write('job', 'n', packRecords(records(100, 'n'), PROFILE.dimension));
    await staging.drop('job');
    assert.deepEqual(await staging.list(), []);
    await until(isEmpty, 'all rows are removed');
    await engine.close();
  });

  it('leaves nothing to remove of an index that is dropped meanwhile', async () => {
    const { url, open, holdUp } = await scene(server);
    const engine = await open();
    await filled(engine, 'n', 10);
    const release = await holdUp();
    await engine.writer(PROFILE).deleteNamespace('n');
    await engine.dropIndex(PROFILE.id);
    await release();
    assert.deepEqual(await server.run('select * from pinyon_records.namespace_removals', url), []);
    await engine.close();
  });

  it('works on the tables that an earlier layout has left', async () => {
    const { url, open, isEmpty } = await scene(server);
    const first = await open();
    await filled(first, 'n', 10);
    await first.close();
    await server.run(
      'drop table pinyon_records.namespace_removals; update pinyon_records.layout set version = 4',
      url,
    );
    const second = await open();
    assert.equal((await second.reader(PROFILE).describeNamespace('n'))?.recordCount, 10);
    await second.writer(PROFILE).deleteNamespace('n');
    await until(isEmpty, 'all rows are removed');
    await second.close();
  });
}

function describeFilters(server: RealPostgres): void {
  it('by a filter takes no statement that touches more than 1,000 records, and is one change', async () => {
    const { open } = await scene(server);
    const engine = await open();
    await filled(engine, 'n');
    const [reader, writer] = [engine.reader(PROFILE), engine.writer(PROFILE)];
    const filter = where('n', { op: 'compare', relation: 'gte', bound: 10 });
    const before = await reader.lsn();
    const { value, statements } = await statementsOf(() => writer.deleteByFilter('n', filter));
    assert.deepEqual(value, { lsn: before + 1, matched: RECORDS - 10 });
    const deletions = statements.filter(({ text }) => /delete from "records_/.test(text));
    assert.equal(deletions.length, 3);
    for (const { values } of deletions) assert.ok((values[1] as readonly string[]).length <= 1_000);
    assert.equal((await reader.describeNamespace('n'))?.recordCount, 10);
    assert.equal(await reader.count('n', EVERYTHING), 10);
    const rest = await writer.deleteByFilter('n', EVERYTHING);
    assert.equal(rest.matched, 10);
    assert.equal(await reader.describeNamespace('n'), null);
    await engine.close();
  });
}
