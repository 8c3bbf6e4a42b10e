// What nodes tell each other: a version for each topic, which triggers raise with every change of its tables.
import type { Pool } from 'pg';
import type { Topic } from '../foreign-changes.ts';
import { TAKE_TURN } from './postgres-driver.ts';

/** The schema of the catalog's tables in its database. */
export const SCHEMA = 'pinyon';
const ALL = 'insert or update or delete';
/** The tables of a topic. */
const TOPICS = {
  access: ['projects', 'api_keys', 'users', 'service_accounts', 'role_bindings'],
  sessions: ['console_sessions'],
  indexes: ['indexes', 'placements'],
  aliases: ['namespace_aliases'],
  jobs: ['jobs'],
} as const satisfies Record<Topic, readonly string[]>;

/** A running job changes its row all the time. */
const EVENTS: Readonly<Partial<Record<string, string>>> = { jobs: 'insert' };

/** The channel of notifications, which name the topic. */
export const CHANNEL = 'pinyon';

const FUNCTION = `
create table if not exists ${SCHEMA}.versions (topic text primary key, version bigint not null);
create or replace function ${SCHEMA}.note_change() returns trigger language plpgsql as $$
begin
  insert into ${SCHEMA}.versions as known values (tg_argv[0], 1)
    on conflict (topic) do update set version = known.version + 1;
  perform pg_notify('${CHANNEL}', tg_argv[0]);
  return null;
end $$;`;

/** Expects migrated tables. Safe to repeat, by several nodes at the same time; takes no locks on tables that are watched already. */
export async function watchTables(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ readonly table: string }>(
    `select relname as table from pg_trigger join pg_class on pg_class.oid = tgrelid
     where tgname = 'note_change' and relnamespace = $1::regnamespace`,
    [SCHEMA],
  );
  const watched = new Set(rows.map(({ table }) => table));
  const statements = Object.entries(TOPICS).flatMap(([topic, tables]) =>
    tables
      .filter((table) => !watched.has(table))
      .map(
        (table) => `create or replace trigger note_change after ${EVENTS[table] ?? ALL} on ${SCHEMA}.${table}
          for each statement execute function ${SCHEMA}.note_change('${topic}');`,
      ),
  );
  if (statements.length > 0) await pool.query(`${TAKE_TURN};\n${FUNCTION}\n${statements.join('\n')}`);
}
