// Connections of the catalog to PostgreSQL that come to harm: they are given up, and what they were for goes on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseClock } from '../../src/catalog/catalog-clock.ts';
import { ChangeFeed } from '../../src/catalog/postgres/change-feed.ts';
import { holdLock } from '../../src/catalog/postgres/held-lock.ts';
import { openPostgresCatalog } from '../../src/catalog/postgres/open-postgres-catalog.ts';
import { PostgresDriver, TAKE_TURN } from '../../src/catalog/postgres/postgres-driver.ts';
import { becomeSingleNode } from '../../src/catalog/postgres/single-node.ts';
import { ADVISORY_LOCKS } from '../../src/platform/postgres/advisory-locks.ts';
import { openPool } from '../../src/platform/postgres/sessions.ts';
import { until } from '../support/until.ts';
import { MovingAddress } from './moving-address.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere();
if (reason === null) describeConnections(await startPostgres());
else process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);

function describeConnections(server: RealPostgres): void {
  describe('a connection of the catalog', () => {
    let url: string;
    before(async () => {
      url = await server.newDatabase();
    });
    after(() => server.stop());

    test('is replaced when the host at its other end falls silent, and everything is read again', async (context) => {
      await (await openPostgresCatalog({ url, connectionsMax: 2, onLost: () => undefined })).close();
      const address = new MovingAddress();
      address.moveTo(url);
      const feed = new ChangeFeed({ url: await address.through(url), onFailure: () => undefined });
      context.after(async () => {
        await feed.close();
        await address.close();
      });
      let reads = 0;
      feed.listen('access', async () => {
        reads++;
      });
      await feed.start();
      assert.equal(reads, 1);
      address.freeze();
      await until(() => feed.ageMs() > 1_500, 'it notices');
      await until(() => feed.ageMs() < 1_000, 'it looks again');
      assert.equal(reads, 2);
    });

    test('is missed by a lone node, which takes its place again, or stops where another node has', async (context) => {
      const address = new MovingAddress();
      address.moveTo(url);
      let isLost = false;
      const onLost = () => {
        isLost = true;
      };
      const options = { onLost, askMs: 100, waitMs: 3_000 };
      const node = await becomeSingleNode({ ...options, url: await address.through(url) });
      context.after(async () => {
        await node.close();
        await address.close();
      });
      const held = "from pg_locks where locktype = 'advisory' and granted";
      const holder = async () => (await server.run(`select pid ${held}`, url))[0]?.pid;
      const loseLock = async () => {
        address.freeze();
        await server.run(`select pg_terminate_backend(pid) ${held}`, url);
      };
      const first = await holder();
      await loseLock();
      await until(async () => ![undefined, first].includes(await holder()), 'it takes the lock again');
      assert.ok(!isLost);
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      const taken = other.query(`select pg_advisory_lock(${ADVISORY_LOCKS.node})`);
      await loseLock();
      await taken;
      await until(() => isLost, 'it hears that it has lost the lock');
      await other.end();
    });

    test('waits for the start of another node as long as that node lives, and says so and where it is', async (context) => {
      const options = { url, lock: ADVISORY_LOCKS.starting };
      const first = await holdLock(options);
      // Days pass between two looks.
      let days = 0;
      context.mock.method(performance, 'now', () => 86_400_000 * days++);
      const words: string[] = [];
      let isHeld = false;
      const second = holdLock({ ...options, onWait: (reason) => void words.push(reason) }).then((lock) => {
        isHeld = true;
        return lock;
      });
      second.catch(() => undefined);
      await sleep(1_000);
      assert.equal(isHeld, false);
      assert.match(words.join(), /^another node at 127\.0\.0\.1, since 20\S+Z, starts$/);
      await first.release();
      await (await second).release();
    });

    test('serves again after a change has waited too long for its turn', async () => {
      const pool = openPool({ url, schema: 'public', connectionsMax: 1, statementMs: 300 });
      const driver = new PostgresDriver({ pool, clock: new DatabaseClock() });
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      await other.query(`begin; ${TAKE_TURN}`);
      await assert.rejects(driver.begin(), { condition: 'database-unavailable' });
      await other.end();
      const one = await driver.withClient((client) => client.query('select 1 as one'));
      assert.deepEqual(one.rows, [{ one: 1 }]);
      const { client, end } = await driver.begin();
      await client.query('rollback');
      client.release();
      end();
      await driver.destroy();
    });
  });
}
