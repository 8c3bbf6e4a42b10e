// Copies every row of a catalog into an empty one, on whichever databases, and compares what arrived.
import { createHash } from 'node:crypto';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import { keysOf } from '../domain/keys-of.ts';
import type { CatalogSchema } from './schema.ts';

/** The columns that name a row, of every table; a table comes after those that its rows refer to. */
const KEYS = {
  settings: ['name'],
  nodes: ['id'],
  placements: ['id'],
  node_leftovers: ['node_id', 'storage_id'],
  organizations: ['id'],
  projects: ['id'],
  api_keys: ['id'],
  users: ['id'],
  passwords: ['user_id', 'organization_id'],
  console_sessions: ['cookie_sha256'],
  identities: ['issuer', 'subject'],
  service_accounts: ['id'],
  invites: ['id'],
  role_bindings: ['id'],
  audit_entries: ['id'],
  signing_keys: ['id'],
  indexes: ['id'],
  port_grants: ['port'],
  jobs: ['id'],
  archives: ['id'],
  backup_schedules: ['id'],
  import_errors: ['import_id', 'number'],
  namespace_aliases: ['index_id', 'name'],
  judgment_sets: ['id'],
  assistants: ['id'],
  assistant_files: ['assistant_id', 'id'],
  assistant_revisions: ['id'],
  assistant_operations: ['id'],
} as const satisfies Record<keyof CatalogSchema, readonly string[]>;
/** Databases bound the parameters of a statement; a row has at most 19. */
const ROWS_PER_STATEMENT = 500;

type Table = keyof typeof KEYS;
type Row = Readonly<Record<string, string | number | null>>;

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
}

/** The target has rows already, or not those of the source. */
export class CopyProblem extends Error {}

/**
 * All in one transaction of the target, which stays empty when anything fails. Nothing may change the source meanwhile.
 * @throws CopyProblem when the target is not empty, or a comparison of counts and contents fails
 */
export async function copyCatalog(
  source: Kysely<CatalogSchema>,
  target: Kysely<CatalogSchema>,
): Promise<readonly CopiedTable[]> {
  return target.transaction().execute(async (to) => {
    const tables = keysOf(KEYS);
    for (const table of tables)
      for await (const _ of pages(to, table)) throw new CopyProblem('the target has a catalog already');
    const copied: CopiedTable[] = [];
    for (const table of tables) {
      const sent = new Contents();
      for await (const rows of pages(source, table)) {
        sent.add(rows);
        await insert(to, table, rows);
      }
      const arrived = new Contents();
      for await (const rows of pages(to, table)) arrived.add(rows);
      if (!arrived.equals(sent))
        throw new CopyProblem(`${arrived.rows} rows of ${table} arrived, not the ${sent.rows} of the source`);
      copied.push({ table, rows: sent.rows });
    }
    return copied;
  });
}

/** All rows of a table, in the order of its key. */
async function* pages(db: QueryExecutorProvider, table: Table): AsyncGenerator<readonly Row[]> {
  const key: readonly string[] = KEYS[table];
  const columns = sql.join(key.map((column) => sql.ref(column)));
  for (let last: Row | undefined; ; ) {
    const after = last;
    const rest =
      after === undefined
        ? sql`1 = 1`
        : sql`(${columns}) > (${sql.join(key.map((column) => after[column]))})`;
    const { rows } = await sql<Row>`select * from ${sql.table(table)} where ${rest}
      order by ${columns} limit ${sql.lit(ROWS_PER_STATEMENT)}`.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_PER_STATEMENT) return;
    last = rows.at(-1);
  }
}

async function insert(db: QueryExecutorProvider, table: Table, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    values ${sql.join(values)}`.execute(db);
}

/** A digest of rows that does not depend on their order, in which databases may differ. */
class Contents {
  rows = 0;
  #sum = 0n;

  add(rows: readonly Row[]): void {
    for (const row of rows) {
      const values = Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1));
      const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex');
      this.#sum = BigInt.asUintN(256, this.#sum + BigInt(`0x${digest}`));
    }
    this.rows += rows.length;
  }

  equals(other: Contents): boolean {
    return this.rows === other.rows && this.#sum === other.#sum;
  }
}
