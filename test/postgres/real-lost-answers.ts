// Changes of a lone node that PostgreSQL commits before the answer is lost: what the node knows must follow them.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { Principals } from '../../src/app/access/principals.ts';
import { AliasService } from '../../src/app/aliases/alias-service.ts';
import { SAMPLE_INDEX, seedProjects } from '../../src/catalog/conformance/conformance-suite.ts';
import type { Catalog } from '../../src/catalog/port.ts';
import { openPostgresCatalog } from '../../src/catalog/postgres/open-postgres-catalog.ts';
import { SYSTEM } from '../../src/domain/administration/audit.ts';
import { profileOf } from '../../src/domain/index-model.ts';
import { ReferenceIndex } from '../../src/engine/reference/reference-index.ts';
import { until } from '../support/until.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere();
if (reason === null) describeLostAnswers(await startPostgres());
else process.stdout.write(`SKIPPED: no PostgreSQL can be run here: ${reason}\n`);

const SECRET = 'a key';
const { projectId } = SAMPLE_INDEX;
const KEY = {
  ...{ id: 'key-1', organizationId: 'organization-1', projectId, name: 'key', label: 'key' },
  ...{ sha256: hash('sha256', SECRET, 'hex'), createdAt: SAMPLE_INDEX.createdAt, roles: [] },
};

function describeLostAnswers(server: RealPostgres): void {
  describe('a change that is committed, and whose answer is lost with the server', () => {
    let catalog: Catalog;

    before(async () => {
      const url = await server.newDatabase();
      const onLost = () => assert.fail('The catalog was lost to another node.');
      catalog = await openPostgresCatalog({ url, connectionsMax: 5, onLost });
      await seedProjects(catalog);
      await catalog.indexes.insert(SAMPLE_INDEX);
    });
    after(async () => {
      await catalog.close();
      await server.stop();
    });

    /** The change, whose first commit the server answers no more; then the server comes back. */
    async function lost(change: () => Promise<unknown>): Promise<void> {
      const { query } = pg.Client.prototype;
      pg.Client.prototype.query = async function (this: pg.Client, ...args: Parameters<typeof query>) {
        const [statement] = args as readonly unknown[];
        if (statement !== 'commit') return query.apply(this, args);
        pg.Client.prototype.query = query;
        await query.apply(this, args);
        await server.kill();
        throw new Error('Connection terminated unexpectedly');
      } as typeof query;
      try {
        await assert.rejects(change, { condition: 'database-unavailable' });
      } finally {
        pg.Client.prototype.query = query;
      }
      await server.start();
    }

    test('ends a key that was revoked', async () => {
      const { access, apiKeys } = catalog.administration;
      await apiKeys.create(KEY, SYSTEM);
      const principals = await Principals.follow(access);
      assert.ok(principals.authenticateKey(SECRET));
      await lost(() => apiKeys.delete(KEY, SYSTEM));
      await until(() => principals.authenticateKey(SECRET) === undefined);
    });

    test('points an alias where the catalog does', async () => {
      const store = new ReferenceIndex(profileOf(SAMPLE_INDEX));
      for (const name of ['v1', 'v2']) await store.createNamespace(name, null);
      const engine = { reader: () => store, earlierWrites: () => Promise.resolve() };
      const aliases = await AliasService.load({ catalog, engine });
      catalog.foreign.listen('aliases', () => aliases.refresh());
      await aliases.create(SAMPLE_INDEX, 'live', 'v1');
      await lost(() => aliases.repoint(SAMPLE_INDEX, 'live', 'v2'));
      await until(() => aliases.describe(SAMPLE_INDEX.id, 'live').target === 'v2');
      await lost(() => aliases.delete(SAMPLE_INDEX, 'live'));
      await until(() => !aliases.isAlias(SAMPLE_INDEX.id, 'live'));
    });
  });
}
