// Aliases of an index that nodes share: two engines and a catalog over one PostgreSQL.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AliasService } from '../../src/app/aliases/alias-service.ts';
import { SAMPLE_INDEX, seedProjects } from '../../src/catalog/conformance/conformance-suite.ts';
import type { Catalog } from '../../src/catalog/port.ts';
import { openSharedCatalog } from '../../src/catalog/postgres/open-shared-catalog.ts';
import { profileOf } from '../../src/domain/index-model.ts';
import { dense } from '../../src/engine/conformance/sample-data.ts';
import { PostgresEngine } from '../../src/engine/postgres/postgres-engine.ts';
import { until } from '../support/until.ts';
import { whyNoPgvector } from './pgvector.ts';
import { type RealPostgres, startPostgres, whyNotHere } from './server.ts';

const reason = whyNotHere() ?? whyNoPgvector();
if (reason === null) describeAliases(await startPostgres());
else process.stdout.write(`SKIPPED: no PostgreSQL with pgvector can be run here: ${reason}\n`);

const PROFILE = profileOf(SAMPLE_INDEX);
const RECORDS = [dense('a', [1, 0, 0])];
const WAITING =
  "select 1 from pg_stat_activity where application_name = 'pinyon' and wait_event_type = 'Lock'";

function describeAliases(server: RealPostgres): void {
  describe('an alias with the name of a namespace that another node is creating', () => {
    let url: string;
    let catalog: Catalog;
    let aliases: AliasService;
    let here: PostgresEngine;
    let there: PostgresEngine;
    /** What the other node does between its look for an alias and the end of its write. */
    let inWrite = () => Promise.resolve();

    before(async () => {
      url = await server.newDatabase();
      const shared = await openSharedCatalog({ url, connectionsMax: 3, onFailure: () => undefined });
      catalog = shared.catalog;
      await shared.changes.start();
      await seedProjects(catalog);
      await catalog.indexes.insert(SAMPLE_INDEX);
      here = await PostgresEngine.open({ url, connectionsMax: 4 });
      const isAlias = async (indexId: string, name: string) => {
        const answer = await catalog.namespaceAliases.has(indexId, name);
        await inWrite();
        return answer;
      };
      there = await PostgresEngine.open({ url, connectionsMax: 4, isAlias });
      await here.createIndex(PROFILE);
      await here.writer(PROFILE).createNamespace('target', null);
      aliases = await AliasService.load({ catalog, engine: here, changes: shared.changes });
    });
    after(async () => {
      for (const each of [here, there, catalog]) await each.close();
      await server.stop();
    });

    /** Has the other node create a namespace, up to where only the end of its write is missing. */
    async function begin(name: string) {
      const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      inWrite = () => {
        begun.resolve();
        return mayEnd.promise;
      };
      const written = there.writer(PROFILE).upsert(name, RECORDS);
      await begun.promise;
      const end = async () => {
        mayEnd.resolve();
        await written;
      };
      return { end };
    }

    /** Ends the write once the alias waits for it, or does not. */
    async function endsRefused(name: string, write: { end(): Promise<void> }, made: Promise<unknown>) {
      let isMade = false;
      const refused = assert.rejects(
        made.finally(() => (isMade = true)),
        { reason: 'NAME_IN_USE_BY_NAMESPACE' },
      );
      await until(async () => isMade || (await server.run(WAITING, url)).length > 0);
      await write.end();
      await refused;
      assert.equal(await catalog.namespaceAliases.has(SAMPLE_INDEX.id, name), false);
      assert.equal((await here.reader(PROFILE).describeNamespace(name))?.recordCount, RECORDS.length);
    }

    it('is refused when the write began before it', async () => {
      const write = await begin('early');
      await endsRefused('early', write, aliases.create(SAMPLE_INDEX, 'early', 'target'));
    });

    it('is refused when the write begins after its first look, which it does not see', async (test) => {
      const { namespaceAliases } = catalog;
      const insert = namespaceAliases.insert.bind(namespaceAliases);
      const writing = Promise.withResolvers<{ end(): Promise<void> }>();
      test.mock.method(namespaceAliases, 'insert', async (alias: Parameters<typeof insert>[0]) => {
        writing.resolve(await begin('late'));
        return insert(alias);
      });
      const made = aliases.create(SAMPLE_INDEX, 'late', 'target');
      await endsRefused('late', await writing.promise, made);
    });
  });
}
