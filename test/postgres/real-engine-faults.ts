// Outages of the database of an engine on PostgreSQL: each is a clear 503, leaves nothing half-written, and passes.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Fault } from '../../src/domain/faults.ts';
import { dense, sampleProfile, sampleQuery } from '../../src/engine/conformance/sample-data.ts';
import { EngineOpenError } from '../../src/engine/postgres/open-error.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { until } from '../support/until.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) {
  const server = await startPostgres();
  describe('the engine on PostgreSQL', () => {
    after(() => server.stop());
    describeOutages(server);
    describeOpening(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);
}

const CONNECTIONS = 4;
const BATCH = Array.from({ length: 100 }, (_, at) => dense(`r${at}`, [at, 1, 2]));
const OWN_CONNECTIONS =
  "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pinyon'";

function isUnavailable(text: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.condition, 'database-unavailable');
    assert.equal(error.status, 503);
    assert.match(error.message, text);
    return true;
  };
}

function describeOutages(server: RealPostgres): void {
  describe('in an outage', () => {
    const profile = sampleProfile({ id: 'notes', dimension: 3, metric: 'euclidean' });
    let url: string;
    let engine: PostgresEngine;

    before(async () => {
      url = await server.newDatabase();
      engine = await PostgresEngine.open({ url, connectionsMax: CONNECTIONS });
      await engine.createIndex(profile);
      await engine.writer(profile).upsert('', BATCH);
    });
    after(() => engine.close());

    const reader = () => engine.reader(profile);
    const writer = () => engine.writer(profile);
    const query = () => reader().query(sampleQuery({ values: Float32Array.of(1, 1, 2) }));

    async function works(): Promise<void> {
      assert.equal((await query())[0]?.id, 'r1');
      await writer().upsert('', BATCH.slice(0, 1));
    }

    /** Holds up what writes records until the returned function is called. */
    async function lockRecords(): Promise<() => Promise<void>> {
      const other = new pg.Client({ connectionString: url });
      // The server may end it.
      other.on('error', () => undefined);
      await other.connect();
      await other.query('begin; lock table pinyon_records."records_notes" in share mode');
      return () => other.end();
    }

    const isWaiting = async () => {
      const rows = await server.run(
        "select 1 from pg_stat_activity where application_name = 'pinyon' and wait_event_type = 'Lock'",
        url,
      );
      return rows.length > 0;
    };

    it('writes nothing of a batch whose connection is broken off, and works again at once', async () => {
      const lsn = await reader().lsn();
      const unlock = await lockRecords();
      const upsert = writer().upsert('other', BATCH);
      const outcome = assert.rejects(upsert, isUnavailable(/starting or stopping|connection was lost/));
      await until(isWaiting);
      await server.run(OWN_CONNECTIONS, url);
      await outcome;
      await unlock();
      assert.equal(await reader().describeNamespace('other'), null);
      assert.equal(await reader().lsn(), lsn);
      await works();
    });

    it('writes nothing of a batch when the server restarts in the middle of it', async () => {
      const unlock = await lockRecords();
      const upsert = writer().upsert('other', BATCH);
      const outcome = assert.rejects(upsert, isUnavailable(/./));
      await until(isWaiting);
      await server.kill();
      await outcome;
      await unlock().catch(() => undefined);
      await assert.rejects(query(), isUnavailable(/cannot be reached/));
      await assert.rejects(writer().upsert('', BATCH), isUnavailable(/cannot be reached/));
      await assert.rejects(engine.copies(profile).read(), isUnavailable(/cannot be reached/));
      await server.start();
      assert.equal(await reader().describeNamespace('other'), null);
      await works();
    });

    it('answers reads while the database is read-only, and refuses writes', async () => {
      const name = new URL(url).pathname.slice(1);
      await server.run(`alter database ${name} set default_transaction_read_only = on`);
      await server.run(OWN_CONNECTIONS, url);
      assert.equal((await query())[0]?.id, 'r1');
      await assert.rejects(writer().upsert('', BATCH), isUnavailable(/read-only/));
      await server.run(`alter database ${name} reset default_transaction_read_only`);
      await server.run(OWN_CONNECTIONS, url);
      await works();
    });

    it('refuses what takes longer than a statement may', async () => {
      const unlock = await lockRecords();
      const name = new URL(url).pathname.slice(1);
      await server.run(`alter role postgres in database ${name} set lock_timeout = 200`);
      await server.run(OWN_CONNECTIONS, url);
      await assert.rejects(writer().upsert('', BATCH), isUnavailable(/too long/));
      await server.run(`alter role postgres in database ${name} reset lock_timeout`);
      await server.run(OWN_CONNECTIONS, url);
      await unlock();
      await works();
    });

    it('lets reads through while writes of many indexes wait', async () => {
      const others = ['one', 'two', 'three', 'four', 'five'].map((id) => sampleProfile({ ...profile, id }));
      for (const each of others) await engine.createIndex(each);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      const tables = others.map(({ id }) => `pinyon_records."records_${id}"`);
      await other.query(`begin; lock table ${tables.join(', ')} in share mode`);
      const writes = others.map((each) => engine.writer(each).upsert('', BATCH));
      await until(isWaiting);
      assert.equal((await query())[0]?.id, 'r1');
      await other.end();
      await Promise.all(writes);
    });

    it('writes to an index while a thousand writes of another one wait', async () => {
      const other = sampleProfile({ ...profile, id: 'other' });
      await engine.createIndex(other);
      const unlock = await lockRecords();
      const waiting = Array.from({ length: 1_100 }, () => writer().upsert('', BATCH.slice(0, 1)));
      const outcomes = Promise.allSettled(waiting);
      await until(isWaiting);
      await engine.writer(other).upsert('', BATCH);
      await unlock();
      const refused = (await outcomes).filter(({ status }) => status === 'rejected');
      assert.equal(refused.length, 1_100 - 1_024);
      await works();
    });

    it('does not write for a client who left while the write waited', async () => {
      const unlock = await lockRecords();
      let isThere = true;
      const running = writer().upsert('', BATCH);
      await until(isWaiting);
      const left = engine.writer(profile, undefined, () => isThere).upsert('left', BATCH);
      const outcome = assert.rejects(left, /client went/);
      isThere = false;
      await unlock();
      await Promise.all([running, outcome]);
      assert.equal(await reader().describeNamespace('left'), null);
    });

    it('answers 503 while other programs have all connections, and recovers by itself', async () => {
      const name = new URL(url).pathname.slice(1);
      await server.run('create role plain login');
      await server.run(
        `grant all on schema pinyon_records to plain; grant all on all tables in schema pinyon_records to plain;
         alter database ${name} connection limit 0`,
        url,
      );
      const plain = await PostgresEngine.open({
        url: url.replace('postgres@', 'plain@'),
        connectionsMax: CONNECTIONS,
      }).catch((error: unknown) => error);
      assert.ok(plain instanceof EngineOpenError);
      assert.match(plain.message, /no free connection/);
      await server.run(`alter database ${name} connection limit -1`);
      const opened = await PostgresEngine.open({
        url: url.replace('postgres@', 'plain@'),
        connectionsMax: CONNECTIONS,
      });
      await opened.close();
    });
  });
}

function describeOpening(server: RealPostgres): void {
  it('gives clear reasons for a database that it cannot use', async () => {
    const opens = (url: string) => PostgresEngine.open({ url, connectionsMax: CONNECTIONS });
    const isProblem = (text: RegExp) => (error: unknown) =>
      error instanceof EngineOpenError && text.test(error.message) && !error.message.includes('hidden');
    await assert.rejects(opens('postgres://postgres:hidden@127.0.0.1:9/x'), isProblem(/cannot be reached/));
    const newer = await server.newDatabase();
    await (await opens(newer)).close();
    await server.run('update pinyon_records.layout set version = 99', newer);
    await assert.rejects(opens(newer), isProblem(/newer release/));
    const old = await server.newDatabase();
    await server.run("create extension vector; update pg_extension set extversion = '0.7.4'", old);
    await assert.rejects(
      opens(old),
      isProblem(/pgvector 0\.8 or newer is needed, not 0\.7\.4.*alter extension/),
    );
    const bare = await server.newDatabase();
    await server.run('create role nobody_special login');
    await assert.rejects(
      opens(bare.replace('postgres@', 'nobody_special@')),
      isProblem(/create extension vector; and grant create/),
    );
  });

  it('counts the fields of records that the first layout has left', async () => {
    const url = await server.newDatabase();
    const profile = sampleProfile({ id: 'older' });
    const first = await PostgresEngine.open({ url, connectionsMax: CONNECTIONS });
    await first.createIndex(profile);
    await first.writer(profile).upsert('n', [dense('a', [1, 0, 0, 0], { x: 1, y: 1 })]);
    await first.close();
    await server.run(
      'drop table pinyon_records.fields_older; update pinyon_records.layout set version = 1',
      url,
    );
    const second = await PostgresEngine.open({ url, connectionsMax: CONNECTIONS });
    assert.deepEqual(await second.reader(profile).indexedFields('n'), ['x', 'y']);
    await second.writer(profile).deleteIds('n', ['a']);
    assert.equal(await second.reader(profile).describeNamespace('n'), null);
    await second.close();
  });

  it('prepares a database once when many nodes start at the same time', async () => {
    const url = await server.newDatabase();
    const engines = await Promise.all(
      Array.from({ length: 4 }, () => PostgresEngine.open({ url, connectionsMax: CONNECTIONS })),
    );
    const rows = await server.run('select version from pinyon_records.layout', url);
    assert.equal(rows.length, 1);
    for (const engine of engines) await engine.close();
  });
}
