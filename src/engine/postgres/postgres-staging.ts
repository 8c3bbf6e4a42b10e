// Staged namespaces on PostgreSQL: rows of a job, which publishing gives to everybody without touching their records.
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { unpackRecords } from '../port/packed-records.ts';
import type { StagedNamespaces } from '../port/staged-namespaces.ts';
import type { EngineCapabilities } from '../port/vector-store.ts';
import { assertWritable } from '../port/writable.ts';
import type { ChangingClient, Database, Queryable } from './database.ts';
import { NAMESPACE_COLUMNS, type NamespaceRow, PUBLISHED, schemaOf } from './namespaces.ts';
import { RecordTables } from './record-tables.ts';

export function postgresStaging(
  database: Database,
  profile: IndexProfile,
  capabilities: EngineCapabilities,
): StagedNamespaces {
  const tables = new RecordTables(profile);
  const { namespaces, records } = tables.names;

  async function stagedOf(client: Queryable, owner: string): Promise<readonly NamespaceRow[]> {
    const { rows } = await client.query<NamespaceRow>(
      `select ${NAMESPACE_COLUMNS} from ${namespaces} where owner = $1 order by name`,
      [owner],
    );
    return rows;
  }

  /** The published records and the published schema stay. There are few of them: `mergedRecordsMax`. */
  async function merge(
    client: ChangingClient,
    {
      owner,
      from,
      into,
    }: { readonly owner: string; readonly from: NamespaceRow; readonly into: NamespaceRow },
  ): Promise<void> {
    const { rows } = await client.query<{ readonly id: string }>(
      `select id from ${records} where namespace = $1`,
      [into.number],
    );
    await tables.remove(client, from.number, 'id = any($2::text[])', [rows.map(({ id }) => id)]);
    const rest = await tables.namespace(client, owner, from.name);
    if (rest !== null) await tables.move(client, rest, into.number);
  }

  return {
    create: (owner, added) =>
      database.change(profile, async ({ client }) => {
        for (const { name, schema } of added)
          if ((await tables.namespace(client, owner, name)) === null)
            await tables.addNamespace(client, { owner, name, schema, isExplicit: true });
      }),

    write: async (owner, namespace, batch) => {
      assertWritable(batch, profile, capabilities);
      const unpacked = unpackRecords(batch);
      return database.change(profile, async ({ client, lsn }) => {
        const { number } = await tables.ensureNamespace(client, owner, namespace);
        await tables.put(client, number, [...new Map(unpacked.map((each) => [each.id, each])).values()]);
        return lsn;
      });
    },

    list: async () => {
      const rows = await database.rows<NamespaceRow & { readonly owner: string }>(
        `select owner, ${NAMESPACE_COLUMNS} from ${namespaces} where owner <> $1 order by owner, name`,
        [PUBLISHED],
        profile,
      );
      return rows.map(({ owner, name, schema, records: recordCount }) => ({
        ...{ owner, name, schema: schemaOf(schema), recordCount },
      }));
    },

    publish: (owner) =>
      database.change(profile, async ({ client }) => {
        const staged = await stagedOf(client, owner);
        let merged = 0;
        for (const namespace of staged) {
          const existing = await tables.namespace(client, PUBLISHED, namespace.name);
          if (existing === null) {
            await client.admit(namespace.name);
            client.touch(namespace.number);
            await client.query(`update ${namespaces} set owner = $2 where number = $1`, [
              namespace.number,
              PUBLISHED,
            ]);
            continue;
          }
          merged += existing.records;
          if (merged > capabilities.mergedRecordsMax)
            throw fault('namespace-exists', { name: namespace.name });
          await merge(client, { owner, from: namespace, into: existing });
        }
      }),

    drop: (owner) =>
      database.change(profile, async ({ client }) => {
        for (const { number } of await stagedOf(client, owner)) await tables.dropNamespace(client, number);
      }),
  };
}
