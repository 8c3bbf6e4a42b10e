// The catalog port on a real PostgreSQL, and its faults. Run: npm run test:postgres (installs Debian's where it may).
import assert from 'node:assert/strict';
import { after, before, describe, mock, test } from 'node:test';
import pg from 'pg';
import {
  describeCatalog,
  SAMPLE_INDEX,
  seedProjects,
} from '../../src/catalog/conformance/conformance-suite.ts';
import { catalogMigrations } from '../../src/catalog/migrations.ts';
import { type Catalog, CatalogOpenError } from '../../src/catalog/port.ts';
import { openPostgres } from '../../src/catalog/postgres/open-postgres.ts';
import { openPostgresCatalog } from '../../src/catalog/postgres/open-postgres-catalog.ts';
import { SqlCatalog } from '../../src/catalog/sql-catalog.ts';
import { Fault } from '../../src/domain/faults.ts';
import { ADVISORY_LOCKS } from '../../src/platform/postgres/advisory-locks.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere();
if (reason === null) {
  const server = await startPostgres();
  describe('the catalog on PostgreSQL', () => {
    after(() => server.stop());
    describeCatalog('PostgreSQL', async () => {
      const url = await server.newDatabase();
      return { open: () => open(url), dispose: () => Promise.resolve() };
    });
    // A collation that sorts neither by bytes nor by code points.
    describeCatalog('PostgreSQL, sorted by a language', async () => {
      const url = await server.newDatabase(
        "template template0 locale_provider icu icu_locale 'de-u-ks-level1' locale 'C.UTF-8'",
      );
      return { open: () => open(url), dispose: () => Promise.resolve() };
    });
    describeFaults(server);
  });
} else {
  process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);
}

/** One round in twenty failed when the nodes' sessions worked out their path while the schema was created. */
const SIMULTANEOUS_STARTS = 10;

type Options = Partial<Parameters<typeof openPostgresCatalog>[0]>;

function open(url: string, options: Options = {}): Promise<Catalog> {
  const onLost = () => assert.fail('The catalog was lost to another node.');
  return openPostgresCatalog({ url, connectionsMax: 5, nodeWaitMs: 0, waitMs: 0, onLost, ...options });
}

/** A node among several. */
async function node(url: string): Promise<Catalog> {
  const { db, clock } = await openPostgres({ url, connectionsMax: 5 });
  return new SqlCatalog(db, { clock });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}

function workJob(id: string) {
  const nothing = { indexId: null, subject: null, input: null };
  return { id, kind: 'work', projectId: 'p', ...nothing, createdAt: iso(Date.now()) };
}

function opensWith(problem: CatalogOpenError['problem'], text: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof CatalogOpenError, String(error));
    assert.equal(error.problem, problem);
    assert.match(error.message, text);
    return true;
  };
}

const isUnavailable = (error: unknown): boolean =>
  error instanceof Fault && error.condition === 'database-unavailable';

function describeFaults(server: RealPostgres): void {
  describe('a catalog on PostgreSQL', () => {
    let url: string;
    let catalog: Catalog;

    before(async () => {
      url = await server.newDatabase();
      catalog = await open(url);
      await seedProjects(catalog);
    });
    after(() => catalog.close());

    test('keeps every character, NUL too', async () => {
      const value = 'a\0b\u{f0000}0é\u{1f600}';
      await catalog.settings.set('characters', value);
      assert.equal(await catalog.settings.get('characters'), value);
    });

    test('keeps sizes that need more than 32 bits', async () => {
      const [row] = await server.run(
        `select data_type from information_schema.columns
         where table_schema = 'pinyon' and table_name = 'archives' and column_name = 'size_bytes'`,
        url,
      );
      assert.equal(row?.data_type, 'bigint');
    });

    test('refuses a second node at once and gives the reason', async () => {
      await assert.rejects(open(url), opensWith('in-use', /in use by another node/));
    });

    test('makes the changes of all clients one after another', async () => {
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      // What `settings.set` holds while it works.
      await other.query(`begin; select pg_advisory_xact_lock(${ADVISORY_LOCKS.change})`);
      let isDone = false;
      const change = catalog.settings.set('turn', 'second').then(() => {
        isDone = true;
      });
      // Reads wait for nobody.
      assert.equal(await catalog.settings.get('turn'), null);
      assert.equal(isDone, false);
      await other.query('commit');
      await change;
      await other.end();
    });

    test('leaves no trace of a change that the server breaks off, and works again at once', async () => {
      const rows = await server.run(
        "select pid from pg_stat_activity where application_name = 'pinyon'",
        url,
      );
      assert.ok(rows.length > 0);
      await server.run(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pinyon'",
        url,
      );
      await catalog.settings.set('after', 'breaking off');
      assert.equal(await catalog.settings.get('after'), 'breaking off');
    });

    test('answers 503 while the server is gone, and recovers by itself', async () => {
      await server.kill();
      await assert.rejects(catalog.settings.get('after'), isUnavailable);
      await assert.rejects(catalog.settings.set('after', 'x'), isUnavailable);
      await server.start();
      await catalog.settings.set('after', 'a restart');
      assert.equal(await catalog.settings.get('after'), 'a restart');
    });

    test('answers 503 while the database is read-only', async () => {
      const name = new URL(url).pathname.slice(1);
      await catalog.close();
      catalog = await open(url);
      await server.run(`alter database ${name} set default_transaction_read_only = on`);
      await server.run(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pinyon'",
        url,
      );
      await assert.rejects(catalog.settings.set('after', 'x'), isUnavailable);
      assert.equal(await catalog.settings.get('after'), 'a restart');
      await server.run(`alter database ${name} reset default_transaction_read_only`);
      await server.run(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pinyon'",
        url,
      );
      await catalog.settings.set('after', 'read-only times');
    });

    test('answers 503 while other programs have all connections, and recovers by itself', async () => {
      await catalog.close();
      catalog = await open(url);
      const name = new URL(url).pathname.slice(1);
      // The superuser has connections in reserve; ordinary users are bounded by the database.
      await server.run(
        `create role plain login; grant all on schema pinyon to plain;
        grant all on all tables in schema pinyon to plain; alter database ${name} connection limit 1`,
        url,
      );
      const plain = new pg.Client({ connectionString: url.replace('postgres@', 'plain@') });
      const crowded = open(url.replace('postgres@', 'plain@'));
      await assert.rejects(crowded, opensWith('unusable', /no free connection/));
      await plain.end();
      await server.run(`alter database ${name} connection limit -1`);
    });

    test('gives clear reasons for what it cannot open', async () => {
      const absent = 'postgres://postgres:hidden@127.0.0.1:9/pinyon';
      await assert.rejects(open(absent), (error) => {
        assert.doesNotMatch(String(error), /hidden/);
        return opensWith(
          'unusable',
          /127\.0\.0\.1:9\/pinyon cannot be used: it cannot be reached \(ECONNREFUSED\)/,
        )(error);
      });
      await assert.rejects(open(`${url}_not`), opensWith('unusable', /no such database/));
      const latin = await server.newDatabase("template template0 encoding 'LATIN1' locale 'C'");
      await assert.rejects(open(latin), opensWith('unusable', /must be UTF8, not LATIN1/));
    });

    test('waits for a server that is starting', async () => {
      await catalog.close();
      await server.kill();
      const reasons: string[] = [];
      const opening = open(url, { waitMs: 60_000, onWait: (why) => reasons.push(why) });
      while (reasons.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await server.start();
      catalog = await opening;
      assert.match(reasons[0] ?? '', /cannot be reached|starting/);
    });

    test('refuses a database of a newer release', async () => {
      const newer = await server.newDatabase();
      const current = await catalogMigrations.getMigrations();
      const all = { ...current, '9999-future': { up: () => Promise.resolve() } };
      const migrations = { getMigrations: () => Promise.resolve(all) };
      await (await open(newer, { migrations })).close();
      await assert.rejects(open(newer), opensWith('newer', /newer release/));
    });

    test("compares leases and due times by the database's clock, whatever the nodes' own say", async () => {
      const fresh = await server.newDatabase();
      const [one, other] = await Promise.all([node(fresh), node(fresh)]);
      const claim = (owner: string) => {
        const now = Date.now();
        const lease = { now: iso(now), leaseUntil: iso(now + 30_000) };
        return { owner, kinds: ['work'], ...lease };
      };
      await one.jobs.insert(workJob('first'));
      assert.equal((await one.jobs.claim(claim('one')))?.id, 'first');
      for (const minutes of [10, -10]) {
        mock.timers.enable({ apis: ['Date'], now: Date.now() + minutes * 60_000 });
        assert.equal(await other.jobs.claim(claim('other')), null);
        await other.jobs.insert(workJob(`of ${minutes}`));
        mock.timers.reset();
        assert.equal((await one.jobs.claim(claim('one')))?.id, `of ${minutes}`);
        const dueAt = iso(Date.now() + 60_000);
        await one.jobs.release(
          `of ${minutes}`,
          'one',
          { kind: 'again', dueAt, counts: true, error: null },
          dueAt,
        );
      }
      mock.timers.enable({ apis: ['Date'], now: Date.now() + 50_000 });
      assert.equal(await other.jobs.claim(claim('other')), null);
      const due = Date.parse((await other.jobs.nextDue(['work'])) ?? '');
      assert.ok(due - Date.now() > 50_000, 'the time of the next job is in the time of the node');
      mock.timers.reset();
      await one.close();
      await other.close();
    });

    test("notes starts and ends of jobs by the database's clock: the last to end is the last to be forgotten", async () => {
      const fresh = await server.newDatabase();
      const slow = await node(fresh);
      await slow.jobs.insert(workJob('done'));
      const began = Date.now();
      mock.timers.enable({ apis: ['Date'], now: began - 600_000 });
      const [now, leaseUntil] = [iso(Date.now()), iso(Date.now() + 30_000)];
      await slow.jobs.claim({ owner: 'slow', kinds: ['work'], now, leaseUntil });
      await slow.jobs.release('done', 'slow', { kind: 'completed' }, now);
      mock.timers.reset();
      const { projectId, kind } = workJob('done');
      const job = await slow.jobs.find({ projectId, kind, id: 'done' });
      for (const at of [job?.startedAt, job?.finishedAt])
        assert.ok(Math.abs(Date.parse(at ?? '') - began) < 60_000, at ?? 'never');
      await slow.close();
    });

    test('creates the tables for nodes that start at the same moment, each time', async () => {
      for (let round = 0; round < SIMULTANEOUS_STARTS; round++) {
        const fresh = await server.newDatabase();
        const catalogs = await Promise.all(Array.from({ length: 4 }, () => node(fresh)));
        await Promise.all(
          catalogs.map(async (each) => assert.deepEqual(await each.jobs.nextDue(['work']), null)),
        );
        for (const each of catalogs) await each.close();
      }
    });

    test('migrates once when many nodes start at the same time', async () => {
      const fresh = await server.newDatabase();
      const opened = await Promise.allSettled(Array.from({ length: 4 }, () => open(fresh)));
      const catalogs = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      assert.equal(catalogs.length, 1);
      for (const each of opened)
        if (each.status === 'rejected') opensWith('in-use', /another node/)(each.reason);
      const [row] = await server.run('select count(*)::int as count from pinyon.kysely_migration', fresh);
      const expected = Object.keys(await catalogMigrations.getMigrations()).length;
      assert.equal(row?.count, expected);
      for (const each of catalogs) await each.close();
    });

    test('waits for running changes before closing', async () => {
      const fresh = await server.newDatabase();
      const closing = await open(fresh);
      await seedProjects(closing);
      const insert = closing.indexes.insert(SAMPLE_INDEX);
      await closing.close();
      await insert;
      const again = await open(fresh);
      assert.equal((await again.indexes.list()).length, 1);
      await again.close();
    });
  });
}
