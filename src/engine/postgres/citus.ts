// The extension Citus, as far as an engine needs it: whether it is there as the setting says, and the tables of all indexes.
import type { Queryable } from './database.ts';
import type { Shards } from './shards.ts';
import { SCHEMA } from './tables.ts';

/** The first that distributes and routes all that this engine sends. */
const CITUS_MIN = [12, 1] as const;
/** Each server of Citus has them whole. */
const SHARED_TABLES = ['indexes', 'namespace_changes', 'namespace_removals'] as const;

interface CitusState {
  /** Null where the extension is not in the database. */
  readonly version: string | null;
  /** Whether settings of a transaction reach the servers that run its statements. */
  readonly propagates: boolean;
  /** Of this engine, that Citus has in its care. */
  readonly tables: readonly string[];
}

/** Why the database does not fit the setting, as half a sentence; null where it does. */
export async function whyNotSharded(client: Queryable, shards: Shards): Promise<string | null> {
  const { version, propagates, tables } = await stateOf(client);
  if (shards !== 'citus')
    return tables.length === 0
      ? null
      : 'its tables are distributed by Citus. Start the server with PINYON_ENGINE_SHARDS=citus';
  if (version === null)
    return 'PINYON_ENGINE_SHARDS is citus, but the extension is not there. Run there as a superuser: create extension citus';
  if (!isRecent(version))
    return `Citus ${CITUS_MIN.join('.')} or newer is needed, not ${version}. Update the extension there`;
  if (!propagates)
    return `Citus does not pass the settings of searches on to its servers. Run there: alter database NAME set citus.propagate_set_commands = 'local'`;
  return null;
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(/[.-]/).map(Number);
  return major > CITUS_MIN[0] || (major === CITUS_MIN[0] && minor >= CITUS_MIN[1]);
}

/** Gives the tables of all indexes to each server; safe to repeat. Expects `whyNotSharded` to be null. */
export async function shareTables(client: Queryable): Promise<void> {
  const { tables } = await stateOf(client);
  for (const table of SHARED_TABLES)
    if (!tables.includes(table)) await client.query(`select create_reference_table('${SCHEMA}.${table}')`);
}

async function stateOf(client: Queryable): Promise<CitusState> {
  const { rows } = await client.query<Omit<CitusState, 'tables'>>(
    `select (select extversion from pg_extension where extname = 'citus') as version,
       current_setting('citus.propagate_set_commands', true) is not distinct from 'local' as propagates`,
  );
  const [found] = rows;
  if (found === undefined || found.version === null) return { version: null, propagates: false, tables: [] };
  const cared = await client.query<{ readonly name: string }>(
    `select relname as name from pg_dist_partition join pg_class on pg_class.oid = logicalrelid::oid
     where relnamespace = to_regnamespace('${SCHEMA}')`,
  );
  return { ...found, tables: cared.rows.map(({ name }) => name) };
}
