// Kysely's driver over a pool: reads run side by side, changes one after another over all nodes, as in SQLite.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SelectQueryNode,
} from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import { isConnectionLost, queryError } from '../../platform/postgres/outages.ts';
import { fromStoredText, toStoredText } from '../../platform/postgres/text-coding.ts';
import type { DatabaseClock } from '../catalog-clock.ts';

/** Waits until all other changes have ended; until the end of the transaction, others wait. */
export const TAKE_TURN = `select pg_advisory_xact_lock(${ADVISORY_LOCKS.change})`;
const NOW = 'extract(epoch from clock_timestamp())::float8 * 1000 as now';
const BEGIN = {
  'in turn': `begin isolation level read committed; ${TAKE_TURN}, ${NOW}`,
  beside: `begin isolation level read committed; select ${NOW}`,
} as const;
/** Uses of a connection until one is found that works: a restart of the server breaks all of the pool's. */
const CONNECTIONS_TRIED_MAX = 3;

export interface PostgresDriverParts {
  readonly pool: Pool;
  readonly clock: DatabaseClock;
  /** Called when a change may have been committed, although it fails. */
  readonly onUnconfirmed?: () => void;
  /** Whether changes wait for all others, as by default, or run beside them: those of rows that have one writer. */
  readonly changes?: 'in turn' | 'beside';
}

export class PostgresDriver implements Driver {
  readonly #pool: Pool;
  readonly #clock: DatabaseClock;
  readonly #onUnconfirmed: () => void;
  readonly #changes: 'in turn' | 'beside';
  /** Resolves when the last change of this node has ended: waiting ones use no connections. */
  #lastChange: Promise<void> = Promise.resolve();
  readonly #working = new Set<Promise<unknown>>();

  constructor({ pool, clock, onUnconfirmed = () => undefined, changes = 'in turn' }: PostgresDriverParts) {
    this.#pool = pool;
    this.#clock = clock;
    this.#onUnconfirmed = onUnconfirmed;
    this.#changes = changes;
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  acquireConnection(): Promise<PostgresConnection> {
    return Promise.resolve(new PostgresConnection(this));
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return ours(connection).rollback();
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  /** Waits for running reads and changes. */
  async destroy(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    await this.#pool.end();
  }

  /** Runs `use` with a connection; again with another one when the connection turns out to be broken. */
  withClient<Value>(use: (client: PoolClient) => Promise<Value>): Promise<Value> {
    return this.#noted(this.#tryClients(use));
  }

  /** Begins a change when its turn has come. The caller must end it. */
  async begin(): Promise<OpenChange> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    void this.#noted(ended);
    if (this.#changes === 'in turn') {
      const turn = this.#lastChange;
      this.#lastChange = turn.then(() => ended);
      await turn;
    }
    try {
      return { client: await this.#tryClients((client) => this.#begin(client), 'kept'), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  noteUnconfirmed(): void {
    this.#onUnconfirmed();
  }

  async #begin(client: PoolClient): Promise<PoolClient> {
    // Two statements give two results, which the types do not know.
    const results: unknown = await client.query<{ readonly now: number }>(BEGIN[this.#changes]);
    const [, locked] = results as readonly { readonly rows: readonly { readonly now: number }[] }[];
    const now = locked?.rows[0]?.now;
    if (now !== undefined) this.#clock.report(now);
    return client;
  }

  async #tryClients<Value>(use: (client: PoolClient) => Promise<Value>, after?: 'kept'): Promise<Value> {
    for (let tried = 1; ; tried++) {
      let client: PoolClient | undefined;
      try {
        client = await this.#pool.connect();
        const value = await use(client);
        if (after !== 'kept') client.release();
        return value;
      } catch (error) {
        const isLost = isConnectionLost(error);
        // A change may have begun before its turn failed to come, and would still be open for the next user.
        client?.release(isLost || after === 'kept');
        if (!isLost || client === undefined || tried === CONNECTIONS_TRIED_MAX) throw queryError(error);
      }
    }
  }

  #noted<Value>(work: Promise<Value>): Promise<Value> {
    const noted = work.finally(() => this.#working.delete(noted));
    this.#working.add(noted);
    return noted;
  }
}

interface OpenChange {
  readonly client: PoolClient;
  /** Lets the next change of this node begin. */
  readonly end: () => void;
}

/** Takes a connection of the pool only while it has something to do. */
class PostgresConnection implements DatabaseConnection {
  readonly #driver: PostgresDriver;
  #change: OpenChange | null = null;

  constructor(driver: PostgresDriver) {
    this.#driver = driver;
  }

  async begin(): Promise<void> {
    this.#change = await this.#driver.begin();
  }

  async commit(): Promise<void> {
    await this.#endWith('commit');
  }

  /** The server ends a transaction whose connection is closed. */
  async rollback(): Promise<void> {
    await this.#endWith('rollback').catch(() => undefined);
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    if (this.#change !== null) return inChange<Row>(this.#change.client, query);
    if (SelectQueryNode.is(query.query)) return this.#driver.withClient((client) => run<Row>(client, query));
    await this.begin();
    try {
      const result = await this.executeQuery<Row>(query);
      await this.commit();
      return result;
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  /** Results of the catalog are small: a stream has one piece. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }

  async #endWith(statement: 'commit' | 'rollback'): Promise<void> {
    const change = this.#change;
    if (change === null) return;
    this.#change = null;
    try {
      await change.client.query(statement);
      change.client.release();
    } catch (error) {
      change.client.release(true);
      if (statement === 'commit') this.#driver.noteUnconfirmed();
      throw queryError(error);
    } finally {
      change.end();
    }
  }
}

function ours(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection;
  throw new Error('The connection belongs to another driver.');
}

async function inChange<Row>(client: PoolClient, query: CompiledQuery): Promise<QueryResult<Row>> {
  try {
    return await run<Row>(client, query);
  } catch (error) {
    throw queryError(error);
  }
}

async function run<Row>(client: PoolClient, { sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
  const values = parameters.map((value) => (typeof value === 'string' ? toStoredText(value) : value));
  const { rows, rowCount, command } = await client.query<Record<string, unknown>>(sql, values);
  for (const row of rows) restoreTexts(row);
  const changed = command === 'SELECT' ? {} : { numAffectedRows: BigInt(rowCount ?? 0) };
  // `Row` is what Kysely derives from schema.ts and the query.
  return { rows: rows as Row[], ...changed };
}

function restoreTexts(row: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(row))
    if (typeof value === 'string') row[name] = fromStoredText(value);
}
