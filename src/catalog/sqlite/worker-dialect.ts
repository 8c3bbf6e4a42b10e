// Kysely's dialect over the database thread: SQLite's SQL, one connection, real transactions.
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlValue } from './database-methods.ts';
import type { DatabaseThread } from './database-thread.ts';

/** Kysely gives the only connection to one user at a time, so transactions never interleave. */
export function workerDialect(thread: DatabaseThread): Dialect {
  return {
    createDriver: () => new WorkerDriver(thread),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

class TransactionalAdapter extends SqliteAdapter {
  /** SQLite also rolls back schema changes, so a failed or interrupted migration leaves nothing. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class WorkerDriver implements Driver {
  readonly #thread: DatabaseThread;
  readonly #connection: WorkerConnection;

  constructor(thread: DatabaseThread) {
    this.#thread = thread;
    this.#connection = new WorkerConnection(thread);
  }

  init(): Promise<void> {
    return Promise.resolve();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    await this.#thread.rollback();
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    return this.#thread.close();
  }
}

class WorkerConnection implements DatabaseConnection {
  readonly #thread: DatabaseThread;

  constructor(thread: DatabaseThread) {
    this.#thread = thread;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // The tables in schema.ts have columns of these types only; `Row` is what Kysely derives from them and the query.
    const values = parameters as readonly SqlValue[];
    const { rows, changes } = await this.#thread.query({ sql, parameters: values });
    return { rows: rows as Row[], numAffectedRows: changes };
  }

  /** Results of the catalog are small: a stream has one piece. */
  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }
}
