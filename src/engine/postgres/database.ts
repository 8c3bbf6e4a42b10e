// The database of an engine on PostgreSQL: statements, and transactions that change an index or read a snapshot of it.
import type pg from 'pg';
import { fault } from '../../domain/faults.ts';
import type { IndexProfile } from '../../domain/index-model.ts';
import { openPool } from '../../platform/postgres/sessions.ts';
import type { Lsn } from '../port/reader-and-writer.ts';
import { SCHEMA } from './tables.ts';

const UNDEFINED_TABLE = '42P01';
/** A batch of records finds its places in a graph, a deletion by filter reads all of them. */
const STATEMENT_MS = 120_000;

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** A transaction that has its turn among the changes of an index. */
export interface IndexChange {
  readonly client: Queryable;
  /** Of this change. */
  readonly lsn: Lsn;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly connectionsMax: number;
}

export class Database {
  readonly #pool: pg.Pool;

  constructor(options: DatabaseOptions) {
    this.#pool = openPool({ ...options, schema: SCHEMA, statementMs: STATEMENT_MS });
  }

  get pool(): Queryable {
    return this.#pool;
  }

  /** Rows of one statement. @throws index-not-found when its tables are missing */
  async rows<Row extends pg.QueryResultRow>(
    sql: string,
    values: unknown[],
    { name }: Pick<IndexProfile, 'name'>,
  ): Promise<readonly Row[]> {
    try {
      return (await this.#pool.query<Row>(sql, values)).rows;
    } catch (error) {
      throw isMissingTable(error) ? fault('index-not-found', { name }) : error;
    }
  }

  /** Changes an index: all or nothing, one change after the other. @throws index-not-found */
  change<Value>(profile: IndexProfile, work: (change: IndexChange) => Promise<Value>): Promise<Value> {
    return this.transaction('read committed', async (client) => {
      const { rows } = await client.query<{ readonly lsn: number }>(
        'update indexes set lsn = lsn + 1 where id = $1 returning lsn',
        [profile.id],
      );
      const [row] = rows;
      if (row === undefined) throw fault('index-not-found', { name: profile.name });
      return work({ client, lsn: row.lsn });
    });
  }

  async transaction<Value>(
    isolation: 'read committed' | 'repeatable read',
    work: (client: Queryable) => Promise<Value>,
  ): Promise<Value> {
    const client = await this.#pool.connect();
    try {
      await client.query(`begin isolation level ${isolation}`);
      const value = await work(client);
      await client.query('commit');
      client.release();
      return value;
    } catch (error) {
      const isEnded = await client.query('rollback').then(
        () => true,
        () => false,
      );
      client.release(!isEnded);
      throw error;
    }
  }

  /** A connection that reads one state for as long as it takes. The caller must release it. */
  async snapshot(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    await client.query(
      `begin isolation level repeatable read read only; set local statement_timeout to 0;
       set local idle_in_transaction_session_timeout to 0`,
    );
    return client;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }
}

/** True for the error of a statement on tables that do not exist. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE;
}
