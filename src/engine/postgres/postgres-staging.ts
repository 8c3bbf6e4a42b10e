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

/** Names that are looked up at once. */
const ADMITTED_AT_ONCE = 16;

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

  /** Published namespaces by the names that an owner has staged, too. */
  async function publishedOf(client: Queryable, owner: string): Promise<ReadonlyMap<string, NamespaceRow>> {
    const { rows } = await client.query<NamespaceRow>(
      `select ${NAMESPACE_COLUMNS} from ${namespaces} where owner = $1
       and name in (select name from ${namespaces} where owner = $2)`,
      [PUBLISHED, owner],
    );
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** One statement for all: other writes of the index wait. */
  async function publishAll(client: ChangingClient, added: readonly NamespaceRow[]): Promise<void> {
    for (let at = 0; at < added.length; at += ADMITTED_AT_ONCE)
      await Promise.all(added.slice(at, at + ADMITTED_AT_ONCE).map(({ name }) => client.admit(name)));
    const numbers = added.map(({ number }) => number);
    for (const number of numbers) client.touch(number);
    await client.query(`update ${namespaces} set owner = $1 where number = any($2::bigint[])`, [
      PUBLISHED,
      numbers,
    ]);
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
        const published = await publishedOf(client, owner);
        const added: NamespaceRow[] = [];
        let merged = 0;
        for (const namespace of await stagedOf(client, owner)) {
          const existing = published.get(namespace.name);
          merged += existing?.records ?? 0;
          if (merged > capabilities.mergedRecordsMax)
            throw fault('namespace-exists', { name: namespace.name });
          if (existing === undefined) added.push(namespace);
          else await merge(client, { owner, from: namespace, into: existing });
        }
        await publishAll(client, added);
      }),

    drop: (owner) =>
      database.change(profile, async ({ client }) => {
        for (const { number } of await stagedOf(client, owner)) await tables.dropNamespace(client, number);
      }),
  };
}
