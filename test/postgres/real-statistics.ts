// Statistics of an index that several nodes change, on a real PostgreSQL: what a node tells from what it knew before and
// the writes since then is what counting all namespaces tells.
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { dense, sampleProfile } from '../../src/engine/conformance/sample-data.ts';
import { Random } from '../../src/engine/embedded/kernels/testing/hard-vectors.ts';
import { packRecords } from '../../src/engine/port/packed-records.ts';
import { WRITES_KEPT } from '../../src/engine/postgres/namespace-changes.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const WRITES = 400;
const NAMESPACES = 12;
const VECTOR = [1, 0, 0, 0];
const CHANGES = 'pinyon_records.namespace_changes';

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  after(() => server.stop());
  describeStatistics(server);
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

function describeStatistics(server: RealPostgres): void {
  /** Two nodes over one database, and what counting every record tells. */
  async function nodes(id: string) {
    const url = await server.newDatabase();
    const profile = sampleProfile({ id });
    const open = () => PostgresEngine.open({ url, connectionsMax: 8 });
    const engines = [await open(), await open()] as const;
    await engines[0].createIndex(profile);
    const told = async (engine: PostgresEngine) => (await engine.reader(profile).recordCounts()).flat();
    const counted = async () => {
      const rows = await server.run(
        `select n.name, (select count(*) from pinyon_records."records_${id}" r where r.namespace = n.number)::int as "recordCount"
         from pinyon_records."namespaces_${id}" n where owner = '' order by name`,
        url,
      );
      return rows.map(({ name, recordCount }) => ({ name, recordCount }));
    };
    const close = async () => {
      for (const engine of engines) await engine.close();
    };
    return { url, profile, engines, told, counted, close };
  }

  it('tells on each of two nodes what is there after any writes by either', async () => {
    const { profile, engines, told, counted, close } = await nodes('random');
    const random = new Random(21);
    const below = (limit: number) => random.integer(limit);
    const ids = () => Array.from({ length: 1 + below(4) }, () => `r${below(9)}`);
    for (let write = 0; write < WRITES; write++) {
      const engine = engines[below(2)] ?? engines[0];
      const name = `n${below(NAMESPACES)}`;
      const [writer, staging] = [engine.writer(profile), engine.staging(profile)];
      const records = ids().map((id) => dense(id, VECTOR));
      const isThere = (await engine.reader(profile).describeNamespace(name)) !== null;
      const kind = below(10);
      if (kind < 4) await writer.upsert(name, records);
      else if (kind < 6 && isThere) await writer.deleteIds(name, ids());
      else if (kind === 6 && isThere) await writer.deleteNamespace(name);
      else if (kind === 7 && !isThere) await writer.createNamespace(name, null);
      else if (kind === 8) await staging.write('job', name, packRecords(records, profile.dimension));
      else if (kind === 9) await (below(3) === 0 ? staging.drop('job') : staging.publish('job'));
      const asked = engines[below(2)] ?? engines[0];
      if (below(2) === 0) assert.deepEqual(await told(asked), await counted(), `after write ${write}`);
    }
    for (const engine of engines) assert.deepEqual(await told(engine), await counted());
    await close();
  });

  it('counts anew what writes without notes, and those of another course of events, have changed', async () => {
    const { url, profile, engines, told, counted, close } = await nodes('course');
    const [node, other] = engines;
    const upsert = (id: string) => other.writer(profile).upsert('n', [dense(id, VECTOR)]);
    await upsert('a');
    assert.deepEqual(await told(node), [{ name: 'n', recordCount: 1 }]);
    await upsert('b');
    // As an earlier release, which notes nothing.
    await server.run(`delete from ${CHANGES}`, url);
    assert.deepEqual(await told(node), await counted(), 'after a write without a note');
    await upsert('c');
    await upsert('d');
    assert.deepEqual(await told(node), await counted());
    // As a failover that lost the last write, after which there was another one.
    await server.run(
      `update ${CHANGES} set stamp = gen_random_uuid() where lsn = 4;
       update pinyon_records."namespaces_course" set records = 3;
       delete from pinyon_records."records_course" where id = 'd'`,
      url,
    );
    assert.deepEqual(await told(node), await counted(), 'after a lost write');
    await close();
  });

  it('keeps notes of so many writes, and drops those of a deleted index', async () => {
    const { url, profile, engines, told, counted, close } = await nodes('kept');
    const [node, other] = engines;
    const writer = other.writer(profile);
    await writer.upsert('n', [dense('a', VECTOR)]);
    await told(node);
    for (let write = 0; write <= WRITES_KEPT; write++)
      await writer.upsert(`n${write % 3}`, [dense(`r${write}`, VECTOR)]);
    const [row] = await server.run(`select count(*)::int as notes from ${CHANGES}`, url);
    assert.equal(row?.notes, WRITES_KEPT);
    assert.deepEqual(await told(node), await counted());
    await node.dropIndex(profile.id);
    assert.deepEqual(await server.run(`select from ${CHANGES}`, url), []);
    await assert.rejects(told(node), /not found/i);
    await close();
  });

  it('reads no more than what has changed', async () => {
    const { url, profile, engines, close } = await nodes('many');
    const [node, other] = engines;
    await server.run(
      `insert into pinyon_records."namespaces_many" (owner, name, is_explicit)
       select '', 'tenant-' || n, true from generate_series(1, 5000) n`,
      url,
    );
    const before = await node.reader(profile).recordCounts();
    await other.writer(profile).upsert('tenant-77', [dense('a', VECTOR)]);
    const later = await node.reader(profile).recordCounts();
    assert.equal(later.filter((block) => !before.includes(block)).length, 1);
    assert.equal(later.flat().find(({ name }) => name === 'tenant-77')?.recordCount, 1);
    await close();
  });

  it('begins to note changes in tables of an earlier layout', async () => {
    const { url, profile, engines, told, counted, close } = await nodes('layout');
    await engines[0].writer(profile).upsert('n', [dense('a', VECTOR)]);
    await close();
    await server.run(`drop table ${CHANGES}; update pinyon_records.layout set version = 2`, url);
    const later = await PostgresEngine.open({ url, connectionsMax: 8 });
    await told(later);
    await later.writer(profile).upsert('n', [dense('b', VECTOR)]);
    assert.deepEqual(await told(later), await counted());
    assert.equal((await server.run(`select from ${CHANGES}`, url)).length, 1);
    await later.close();
  });

  it('tells no write that a killed server has not kept', async () => {
    const { profile, engines, told, counted, close } = await nodes('killed');
    const [node, other] = engines;
    let acknowledged = 0;
    for (let round = 0; round < 3; round++) {
      const writes = Array.from({ length: 20 }, (_, at) =>
        other.writer(profile).upsert(`n${at % 4}`, [dense(`${round}-${at}`, VECTOR)]),
      );
      const ended = Promise.allSettled(writes);
      await writes[5];
      await server.kill();
      acknowledged += (await ended).filter(({ status }) => status === 'fulfilled').length;
      await server.start();
      const counts = await told(node);
      assert.deepEqual(counts, await counted());
      assert.ok(counts.reduce((sum, { recordCount }) => sum + recordCount, 0) >= acknowledged);
    }
    await close();
  });
}
