// The engine on a real PostgreSQL with pgvector: the conformance suite of engines.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Filter } from '../../src/domain/filter/grammar.ts';
import { METADATA_BYTES_MAX } from '../../src/domain/limits.ts';
import type { Metadata } from '../../src/domain/records/record.ts';
import { describeReaderAndWriter } from '../../src/engine/conformance/conformance-suite.ts';
import { describeEngine } from '../../src/engine/conformance/engines.ts';
import { assertFault } from '../../src/engine/conformance/harness.ts';
import { indexOver } from '../../src/engine/conformance/over-engine.ts';
import { readable } from '../../src/engine/conformance/same-records.ts';
import {
  dense,
  EVERYTHING,
  sampleProfile,
  sampleQuery,
  sparseOf,
  where,
} from '../../src/engine/conformance/sample-data.ts';
import { packRecords } from '../../src/engine/port/packed-records.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from './pgvector.ts';
import { startPostgres, whyNotHere } from './server.ts';
import { statementsOf } from './statements.ts';

/** More than are searched exactly. */
const GRAPH_RECORDS = 12_000;
const GRAPH_DIMENSION = 16;
const QUERIES = 20;
/** As many as one write takes. */
const FACET_RECORDS = 1_000;
/** In parts of 1,000. */
const UPDATED_RECORDS = 2_500;
const RECALL_MIN = 0.98;
/** Different statements of the whole suite, at least. */
const STATEMENTS_MIN = 40;
const INDEX_TABLE = /"(namespaces|records|postings|fields|texts|text_fields)_[^"]*"/g;
/** Where a statement reads, changes or deletes from a table of records. */
const RECORD_TABLE = /\b(from|join|update|into)\s+"(records|postings|fields|texts|text_fields)"/g;

type Make = () => Promise<{ readonly engine: PostgresEngine; close(): Promise<void> }>;

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  after(() => server.stop());
  const make = async () => {
    const engine = await PostgresEngine.open({ url: await server.newDatabase(), connectionsMax: 8 });
    return { engine, close: () => engine.close() };
  };
  const statements = recordStatements();
  describeReaderAndWriter('the engine on PostgreSQL', indexOver(make), { ranksTexts: false });
  describeEngine('the engine on PostgreSQL', make);
  describeGraph(make);
  describeFields(make);
  describeFacets(make);
  describeUpdates(make);
  describeAliases(() => server.newDatabase());
  it('names the namespace, by which tables can be distributed, for each table of records in each statement', () => {
    assert.ok(statements.length > STATEMENTS_MIN, `${statements.length} statements`);
    assert.deepEqual(statements.filter(leavesOutNamespace), []);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function describeFields(make: Make): void {
  it('counts the fields of records through replacements, deletions and merged namespaces', async () => {
    const { engine, close } = await make();
    const profile = sampleProfile({ id: 'fields' });
    await engine.createIndex(profile);
    const [reader, writer] = [engine.reader(profile), engine.writer(profile)];
    const fields = () => reader.indexedFields('n');
    const vector = [1, 0, 0, 0];
    await writer.upsert('n', [dense('a', vector, { x: 1, y: 1 }), dense('b', vector, { x: 2, '\0': true })]);
    assert.deepEqual(await fields(), ['\0', 'x', 'y']);
    await writer.upsert('n', [dense('b', vector, { z: 'new' })]);
    assert.deepEqual(await fields(), ['x', 'y', 'z'], 'what a replaced record had is gone');
    await writer.deleteByFilter('n', where('x', { op: 'exists', present: true }));
    assert.deepEqual(await fields(), ['z']);
    const staging = engine.staging(profile);
    const staged = [dense('b', vector, { hidden: 1 }), dense('c', vector, { w: 1 })];
    await staging.write('job', 'n', packRecords(staged, profile.dimension));
    await staging.publish('job');
    assert.deepEqual(await fields(), ['w', 'z'], 'the published record stays');
    await writer.deleteIds('n', ['b', 'c']);
    assert.deepEqual(await fields(), []);
    await close();
  });
}

function describeAliases(url: () => Promise<string>): void {
  it('creates no namespace with the name of an alias that another node has made', async () => {
    const profile = sampleProfile({ id: 'aliases' });
    const asked: string[] = [];
    const isAlias = async (indexId: string, name: string) => {
      asked.push(`${indexId}/${name}`);
      return name === 'live';
    };
    const engine = await PostgresEngine.open({ url: await url(), connectionsMax: 8, isAlias });
    await engine.createIndex(profile);
    const [writer, staging] = [engine.writer(profile), engine.staging(profile)];
    const records = [dense('a', [1, 0, 0, 0])];
    await staging.write('job', 'live', packRecords(records, profile.dimension));
    for (const create of [
      () => writer.upsert('live', records),
      () => writer.createNamespace('live', null),
      () => staging.publish('job'),
    ])
      await assertFault('name-in-use-by-alias', create());
    assert.equal(await engine.reader(profile).describeNamespace('live'), null);
    asked.length = 0;
    for (let round = 0; round < 2; round++) await writer.upsert('books', records);
    assert.deepEqual(asked, ['aliases/books'], 'where it is there, nobody asks');
    await engine.close();
  });
}

function describeFacets(make: Make): void {
  it('counts the values of many records by results of few rows', async () => {
    const { engine, close } = await make();
    const profile = sampleProfile({ id: 'facets' });
    await engine.createIndex(profile);
    const genre = (at: number) => (at % 3 === 0 ? 'drama' : 'comedy');
    const records = Array.from({ length: FACET_RECORDS }, (_, at) =>
      dense(`r${at}`, [1, at, 0, 0], { genre: genre(at), n: at }),
    );
    await engine.writer(profile).upsert('', records);
    const rows = await rowsAtOnce(async () => {
      const fields = ['genre', 'n'].map((field) => ({ field, limit: 1 }));
      const counted = await engine
        .reader(profile)
        .countValues({ namespace: '', filter: null, among: null, fields });
      assert.deepEqual(counted, [
        { field: 'genre', values: [{ value: 'comedy', count: 666 }], distinct: 2, isExact: true },
        { field: 'n', values: [{ value: 0, count: 1 }], distinct: FACET_RECORDS, isExact: true },
      ]);
    });
    assert.ok(rows <= FACET_RECORDS / 2, `${rows} rows at once`);
    await close();
  });
}

function describeUpdates(make: Make): void {
  it('changes the metadata of all matches in parts, and neither reads nor writes their vectors', async () => {
    const { engine, close } = await make();
    const profile = sampleProfile({ id: 'updates', metric: 'dotproduct' });
    await engine.createIndex(profile);
    const [reader, writer] = [engine.reader(profile), engine.writer(profile)];
    const record = (at: number, metadata: Metadata) => ({
      ...dense(`r${at}`, [1, at, 0, 0], metadata),
      sparse: sparseOf([[at, 1]]),
    });
    const numbers = Array.from({ length: UPDATED_RECORDS }, (_, at) => at);
    for (let first = 0; first < UPDATED_RECORDS; first += 1_000)
      await writer.upsert(
        '',
        numbers.slice(first, first + 1_000).map((n) => record(n, { n, old: true, kind: 'é' })),
      );
    const change = { setMetadata: { kind: 'drama', seen: true }, removeMetadata: ['old'] };
    const filter = where('n', { op: 'compare', relation: 'gte', bound: 10 });
    const counted = await statementsOf(() =>
      writer.updateByFilter('', { setMetadata: {}, filter, recordsMax: UPDATED_RECORDS - 20 }),
    );
    assert.equal(counted.value.matched, UPDATED_RECORDS - 20);
    assert.deepEqual(
      counted.statements.filter(({ text }) => /metadata|order by/.test(text)),
      [],
      'a count reads no record',
    );
    const updated = await statementsOf(() =>
      writer.updateByFilter('', { ...change, filter, recordsMax: UPDATED_RECORDS }),
    );
    assert.equal(updated.value.matched, UPDATED_RECORDS - 10);
    assert.deepEqual(
      updated.statements.filter(({ text }) => /dense|sparse_values|postings/.test(text)),
      [],
    );
    const lengths = updated.statements.flatMap(({ values }) =>
      values.map((value) => (Array.isArray(value) ? value.length : 0)),
    );
    assert.equal(Math.max(...lengths), 1_000, 'records of a part');

    const expected = numbers.map((n) =>
      record(n, n < 10 ? { n, old: true, kind: 'é' } : { n, kind: 'drama', seen: true }),
    );
    const ids = expected.map(({ id }) => id);
    assert.deepEqual((await reader.fetch('', ids)).map(readable), expected.map(readable));
    assert.equal(
      await reader.count('', where('kind', { op: 'in', values: ['drama'] })),
      UPDATED_RECORDS - 10,
    );
    for (let first = 0; first < UPDATED_RECORDS; first += 1_000)
      await writer.upsert('same', expected.slice(first, first + 1_000));
    const [described, same] = [await reader.describeNamespace(''), await reader.describeNamespace('same')];
    assert.equal(described?.sizeBytes, same?.sizeBytes);
    assert.equal(described?.recordCount, UPDATED_RECORDS);
    assert.deepEqual(await reader.indexedFields(''), ['kind', 'n', 'old', 'seen']);
    await writer.deleteByFilter('', where('n', { op: 'compare', relation: 'lt', bound: 10 }));
    assert.deepEqual(await reader.indexedFields(''), ['kind', 'n', 'seen']);
    await close();
  });

  it('changes no record when the rules refuse the metadata of one in a later part', async () => {
    const { engine, close } = await make();
    const profile = sampleProfile({ id: 'refused' });
    await engine.createIndex(profile);
    const [reader, writer] = [engine.reader(profile), engine.writer(profile)];
    const records = Array.from({ length: 1_000 }, (_, at) => dense(`a${at}`, [1, at, 0, 0], { n: 1 }));
    await writer.upsert('', records);
    await writer.upsert('', [dense('z', [1, 0, 0, 0], { text: 'x'.repeat(METADATA_BYTES_MAX - 20) })]);
    const change = { setMetadata: { more: 'x'.repeat(20) }, filter: EVERYTHING, recordsMax: 2_000 };
    await assertFault('metadata-too-big', writer.updateByFilter('', change));
    assert.equal(await reader.count('', where('more', { op: 'exists', present: true })), 0);
    assert.deepEqual(await reader.indexedFields(''), ['n', 'text']);
    await close();
  });
}

/** The most rows that any statement returns while `work` runs. */
async function rowsAtOnce(work: () => Promise<void>): Promise<number> {
  const { query } = pg.Client.prototype;
  let most = 0;
  pg.Client.prototype.query = async function (this: pg.Client, ...args: Parameters<typeof query>) {
    const result: unknown = await query.apply(this, args);
    most = Math.max(most, (result as pg.QueryResult).rows?.length ?? 0);
    return result;
  } as typeof query;
  await work().finally(() => {
    pg.Client.prototype.query = query;
  });
  return most;
}

function describeGraph(make: Make): void {
  describe('the graph of pgvector', () => {
    const profile = sampleProfile({ id: 'graph', dimension: GRAPH_DIMENSION });
    const vectors = randomVectors(GRAPH_RECORDS + QUERIES);
    const queries = vectors.slice(GRAPH_RECORDS);
    let made: Awaited<ReturnType<typeof make>>;

    before(async () => {
      made = await make();
      await made.engine.createIndex(profile);
      const writer = made.engine.writer(profile);
      for (let first = 0; first < GRAPH_RECORDS; first += 1_000)
        await writer.upsert(
          '',
          vectors
            .slice(first, first + 1_000)
            .map((values, at) => dense(`r${first + at}`, values, { n: first + at })),
        );
      await writer.upsert('', [dense('zero', new Array<number>(GRAPH_DIMENSION).fill(0))]);
      await writer.upsert(
        'small',
        vectors.slice(0, 30).map((values, at) => dense(`s${at}`, values)),
      );
    });
    after(() => made.close());

    /** The share of the true top 10 that queries find, and how they searched. */
    async function recall(namespace: string, count: number, filter: Filter | null) {
      const structures = new Set<string>();
      let found = 0;
      let expected = 0;
      for (const query of queries) {
        const values = Float32Array.from(query);
        const request = sampleQuery({ namespace, values, filter });
        const { matches, explanation } = await made.engine.reader(profile).explainQuery(request);
        structures.add(explanation.structure);
        const best = vectors
          .slice(0, count)
          .map((vector, at) => ({ id: `${namespace === '' ? 'r' : 's'}${at}`, score: cosine(vector, query) }))
          .sort((one, other) => other.score - one.score)
          .slice(0, 10);
        const ids = new Set(matches.map(({ id }) => id));
        found += best.filter(({ id }) => ids.has(id)).length;
        expected += best.length;
      }
      return { recall: found / expected, structures: [...structures] };
    }

    it('finds nearly all of the best records of a large namespace', async (test) => {
      const measured = await recall('', GRAPH_RECORDS, null);
      test.diagnostic(JSON.stringify(measured));
      assert.deepEqual(measured.structures, ['graph']);
      assert.ok(measured.recall >= RECALL_MIN);
    });

    it('finds them by filters, whether many or few records match', async (test) => {
      for (const share of [0.9, 0.1, 0.01, 0.001]) {
        const bound = Math.round(share * GRAPH_RECORDS);
        const measured = await recall('', bound, where('n', { op: 'compare', relation: 'lt', bound }));
        test.diagnostic(`${share}: ${JSON.stringify(measured)}`);
        assert.ok(measured.recall >= RECALL_MIN);
      }
    });

    it('searches a small namespace beside a large one exactly', async () => {
      assert.deepEqual(await recall('small', 30, null), { recall: 1, structures: ['scan'] });
    });

    it('finds a vector of zeros, which the graph leaves out, at its place', async () => {
      // Worse than 0 are only records on the other side; all others come first.
      const filter: Filter = { kind: 'not', part: where('n', { op: 'exists', present: true }) };
      const values = Float32Array.from(queries[0] ?? []);
      const matches = await made.engine.reader(profile).query(sampleQuery({ values, filter }));
      assert.deepEqual(matches, [{ id: 'zero', score: 0 }]);
    });
  });
}

/** Different statements from now on that read or change tables of records. */
function recordStatements(): readonly string[] {
  const texts = new Set<string>();
  const list: string[] = [];
  const query = pg.Client.prototype.query;
  pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
    const [config] = args as readonly unknown[];
    const text = typeof config === 'string' ? config : String((config as { readonly text?: string }).text);
    // One statement of each kind, whatever its index.
    const kind = text.replaceAll(INDEX_TABLE, '"$1"');
    if (kind.match(RECORD_TABLE) !== null && !texts.has(kind) && !/^\s*(create|drop)/.test(kind)) {
      texts.add(kind);
      list.push(kind);
    }
    return query.apply(this, args);
  } as typeof query;
  return list;
}

function leavesOutNamespace(statement: string): boolean {
  const tables = statement.match(RECORD_TABLE)?.length ?? 0;
  // As a condition, or as the first column of an insertion.
  const names = statement.match(/\bnamespace (=|<|in)|\(namespace, /g)?.length ?? 0;
  return names < tables;
}

function randomVectors(count: number): readonly (readonly number[])[] {
  let state = 21;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Array.from({ length: count }, () => Array.from({ length: GRAPH_DIMENSION }, next));
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}
