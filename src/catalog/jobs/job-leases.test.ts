// Leases of jobs by the database's clock, while that of their node is set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Kysely } from 'kysely';
import { DatabaseClock } from '../catalog-clock.ts';
import type { CatalogSchema } from '../schema.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { openSqlite } from '../sqlite/open-catalog.ts';

const DATABASE_MS = Date.parse('2026-06-01T00:00:00.000Z');
const LEASE_MS = 30_000;
const SET_BY_MS = 10 * 60_000;

/** As PostgreSQL: each transaction begins by telling the database's time. */
function telling(db: Kysely<CatalogSchema>, tell: () => void): Kysely<CatalogSchema> {
  return new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value;
      return () => {
        const transaction = target.transaction();
        const execute: typeof transaction.execute = (work) =>
          transaction.execute((tx) => {
            tell();
            return work(tx);
          });
        return { execute };
      };
    },
  });
}

for (const direction of ['back', 'ahead'] as const)
  test(`renews leases from the present on once the clock of the node was set ${direction}`, async () => {
    let ownMs = DATABASE_MS;
    const clock = new DatabaseClock();
    const db = telling(await openSqlite({ path: ':memory:' }), () => clock.report(DATABASE_MS, ownMs));
    const { jobs } = new SqlCatalog(db, { clock });
    const other = new SqlCatalog(db);
    const at = (ms: number) => new Date(ms).toISOString();
    const about = { projectId: 'project-1', indexId: null, subject: null, createdAt: at(DATABASE_MS) };
    await jobs.insert({ id: 'job', kind: 'work', input: null, ...about });
    const kinds = ['work'];
    assert.ok(await jobs.claim({ owner: 'me', kinds, now: at(ownMs), leaseUntil: at(ownMs + LEASE_MS) }));
    ownMs += direction === 'back' ? -SET_BY_MS : SET_BY_MS;
    const held = await jobs.renew(['job'], { owner: 'me', leaseUntil: at(ownMs + LEASE_MS) });
    assert.deepEqual(held, new Map([['job', false]]));
    const claim = { owner: 'other', kinds, leaseUntil: at(DATABASE_MS + 2 * LEASE_MS) };
    assert.equal(await other.jobs.claim({ ...claim, now: at(DATABASE_MS + LEASE_MS - 1) }), null);
    assert.equal((await other.jobs.claim({ ...claim, now: at(DATABASE_MS + LEASE_MS) }))?.id, 'job');
    await other.close();
  });
