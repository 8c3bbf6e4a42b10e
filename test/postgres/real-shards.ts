// The engine on a real PostgreSQL with tables spread by namespaces: the conformance suite over partitions, where each
// statement on records touches one, and what Citus is asked for.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { describeReaderAndWriter } from '../../src/engine/conformance/conformance-suite.ts';
import { describeEngine } from '../../src/engine/conformance/engines.ts';
import { indexOver } from '../../src/engine/conformance/over-engine.ts';
import { dense, sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { EXACT_RECORDS_MAX } from '../../src/engine/postgres/graph-sql.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import type { Shards } from '../../src/engine/postgres/shards.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';
import { recordStatements } from './statements.ts';

const PARTITIONS = 4;
const DIMENSION = 4;
/** So many that they are in several partitions. */
const NAMESPACES = 12;
/** Different statements of the whole suite, at least. */
const STATEMENTS_MIN = 40;

/** Statements that are not for one server. Citus runs each of them, for the reason given. */
const EXCEPTIONS: readonly { readonly like: RegExp; readonly problem: RegExp; readonly why: string }[] = [
  {
    like: /^insert into "\w+" (as known )?\(namespace, .*\)\s+select \$2, .* from "\w+" where namespace = \$1/s,
    problem: /from those of another one/,
    why: 'merges a staged namespace into a published one: its rows pass through the coordinator from shard to shard',
  },
  {
    like: /^select namespace, field from "fields" where namespace = any\(\$1::bigint\[\]\)$/,
    problem: /touches \d+ shards/,
    why: 'reads the fields of a page of namespaces: a union of what each of their shards has',
  },
  {
    like: /^select namespace, id, .* as moment\s+from "records"\s+where namespace in \(select number from "namespaces"/s,
    problem: /touches \d+ shards|shared tables/,
    why: 'finds expired records of all namespaces, the earliest first: each shard joins the list of namespaces, which it has',
  },
];

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  after(() => server.stop());
  const open = async (shards: Shards, url?: string) =>
    PostgresEngine.open({ url: url ?? (await server.newDatabase()), connectionsMax: 8, shards });
  const make = async () => {
    const engine = await open(PARTITIONS);
    return { engine, close: () => engine.close() };
  };
  const statements = recordStatements();
  describeReaderAndWriter('the engine on partitions', indexOver(make), { ranksTexts: false });
  describeEngine('the engine on partitions', make);
  describeGraph(open);
  describeFields(open);
  it('runs each statement on records on the shard of one namespace, but for those with a reason', async () => {
    await statements.settled();
    const texts = new Set(statements.seen.map(({ text }) => text));
    assert.ok(texts.size > STATEMENTS_MIN, `${texts.size} statements`);
    const wrong = statements.seen.flatMap(({ text, problems }) =>
      problems.filter((problem) => !isException(text, problem)).map((problem) => `${problem}: ${text}`),
    );
    assert.deepEqual([...new Set(wrong)], []);
    const unused = EXCEPTIONS.filter(
      ({ like }) => !statements.seen.some(({ text, problems }) => problems.length > 0 && like.test(text)),
    );
    assert.deepEqual(unused, [], 'exceptions that no statement needs');
  });
  describeCitus(server, open);
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function isException(text: string, problem: string): boolean {
  return EXCEPTIONS.some((each) => each.like.test(text) && each.problem.test(problem));
}

type Open = (shards: Shards, url?: string) => Promise<PostgresEngine>;

function describeGraph(open: Open): void {
  it('searches the graph of one partition for a large namespace, and knows its size', async () => {
    const engine = await open(PARTITIONS);
    const profile = sampleProfile({ id: 'graph', dimension: DIMENSION });
    await engine.createIndex(profile);
    const records = Array.from({ length: EXACT_RECORDS_MAX + 500 }, (_, at) =>
      dense(`r${at}`, [Math.sin(at), Math.cos(at), Math.sin(at * 7), 1]),
    );
    for (let first = 0; first < records.length; first += 1_000)
      await engine.writer(profile).upsert('large', records.slice(first, first + 1_000));
    const values = Float32Array.from([Math.sin(77), Math.cos(77), Math.sin(539), 1]);
    const { matches, explanation } = await engine
      .reader(profile)
      .explainQuery(sampleQuery({ namespace: 'large', values }));
    assert.ok(matches.some(({ id }) => id === 'r77'));
    assert.equal(explanation.structure, 'graph');
    const { records: count, bytes } = await engine.sizeOf(profile);
    assert.equal(count, records.length);
    assert.ok(bytes > records.length * 4 * DIMENSION, `${bytes} bytes`);
    await engine.close();
  });
}

function describeFields(open: Open): void {
  it('tells the fields of namespaces that are in several partitions', async () => {
    const engine = await open(PARTITIONS);
    const profile = sampleProfile({ id: 'page' });
    await engine.createIndex(profile);
    const names = Array.from({ length: NAMESPACES }, (_, at) => `n${at}`);
    for (const name of names)
      await engine.writer(profile).upsert(name, [dense('a', [1, 0, 0, 0], { [name]: 1 })]);
    const reader = engine.reader(profile);
    const told = await Promise.all(names.map((name) => reader.indexedFields(name)));
    assert.deepEqual(
      told,
      names.map((name) => [name]),
    );
    await engine.close();
  });
}

/** Stands for the extension: as far as the engine asks, and with the names that Citus has. */
const STAND_IN = `
set allow_system_table_mods = on;
insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  values (99999, 'citus', 10, 'pg_catalog'::regnamespace, false, '12.1');
create table public.pg_dist_partition (logicalrelid regclass primary key, by text, beside text);
create function public.create_reference_table(name regclass) returns void language sql
  begin atomic insert into public.pg_dist_partition values (name, null, null); end;
create function public.create_distributed_table(name regclass, by text, colocate_with text) returns void language sql
  begin atomic insert into public.pg_dist_partition values (name, by, colocate_with); end;
create function public.citus_total_relation_size(name regclass) returns bigint language plpgsql as $$
  begin
    if not exists (select from public.pg_dist_partition where logicalrelid = name) then
      raise 'cannot calculate the size because relation % is not distributed', name;
    end if;
    return pg_total_relation_size(name);
  end $$;`;

function describeCitus(server: RealPostgres, open: Open): void {
  describe('an engine that is to be distributed by Citus', () => {
    it('says at its start that the extension is missing', async () => {
      await assert.rejects(open('citus'), /PINYON_ENGINE_SHARDS is citus, but the extension is not there/);
    });

    it('distributes each table by the namespace beside the records, and gives the others to each server', async () => {
      const url = await server.newDatabase();
      await server.run(STAND_IN, url);
      await assert.rejects(open('citus', url), /citus\.propagate_set_commands/);
      await server.run(
        `alter database ${new URL(url).pathname.slice(1)} set citus.propagate_set_commands = 'local'`,
        url,
      );
      const engine = await open('citus', url);
      await engine.createIndex(sampleProfile({ id: 'one' }));
      const tables = await server.run(
        `select logicalrelid::text as name, by, beside from public.pg_dist_partition order by 1`,
        url,
      );
      const shared = { by: null, beside: null };
      const beside = { by: 'namespace', beside: '"records_one"' };
      assert.deepEqual(tables, [
        { name: 'pinyon_records.fields_one', ...beside },
        { name: 'pinyon_records.indexes', ...shared },
        { name: 'pinyon_records.namespace_changes', ...shared },
        { name: 'pinyon_records.namespace_removals', ...shared },
        { name: 'pinyon_records.namespaces_one', ...shared },
        { name: 'pinyon_records.postings_one', ...beside },
        { name: 'pinyon_records.records_one', by: 'namespace', beside: 'none' },
      ]);
      const profile = sampleProfile({ id: 'one' });
      await engine.writer(profile).upsert('n', [dense('a', [1, 0, 0, 0])]);
      assert.equal((await engine.sizeOf(profile)).records, 1);
      await engine.close();
      await assert.rejects(
        open('none', url),
        /distributed by Citus\. Start the server with PINYON_ENGINE_SHARDS=citus/,
      );
      await (await open('citus', url)).close();
    });
  });
}
