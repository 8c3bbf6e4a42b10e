// The database of an engine on PostgreSQL: statements, and transactions that change an index or read a snapshot of it.
import pg from 'pg';
import { fault } from '../../domain/faults.ts';
import { type IndexProfile, indexIdOf } from '../../domain/index-model.ts';
import { BoundedSlots } from '../../platform/bounded-slots.ts';
import { isConnectionLost, queryError } from '../../platform/postgres/outages.ts';
import { openPool } from '../../platform/postgres/sessions.ts';
import type { Lsn } from '../port/reader-and-writer.ts';
import { type ChangeTurn, ChangeTurns } from './change-turns.ts';
import { noteChanges } from './namespace-changes.ts';
import { noteRemovals } from './noted-removals.ts';
import { PreparedStatements } from './prepared-statements.ts';
import type { Shards } from './shards.ts';
import { SCHEMA } from './tables.ts';

const UNDEFINED_TABLE = '42P01';
const READ_MS = 30_000;
/** A batch of records finds its places in a graph, a deletion by filter reads all of them. */
const WRITE_MS = 120_000;
/** Beyond the server's own bound: for a server that no longer answers at all. */
const ANSWER_EXTRA_MS = 5_000;
/** No bound: 0 would mean that of the connection. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Connections until one is found that works: a restart of the server breaks all of the pool's. */
const CONNECTIONS_TRIED_MAX = 3;
/** Of the connections, what writes and what copies may hold at a time: reads always find some. */
const WRITES_SHARE = 0.5;
const COPIES_SHARE = 0.25;
/** Copies of all indexes that may wait in this node. */
const COPIES_WAITING_MAX = 1_024;

export interface Queryable {
  /** @throws database-unavailable, storage-full */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    values?: readonly unknown[],
  ): Promise<Pick<pg.QueryResult<Row>, 'rows' | 'rowCount'>>;
}

/** A connection that one work has to itself. */
export interface OwnConnection extends Queryable {
  /** Ends its transaction without a trace; safe to repeat. */
  release(): Promise<void>;
}

/** A connection that changes the tables of an index. */
export interface ChangingClient extends Queryable {
  /** Notes that a namespace changes, by its number. */
  touch(namespace: number): void;
  /** Notes that the rows of a namespace, by its number, are to be removed after the change. */
  discard(namespace: number): void;
  /** Checks the name of a namespace that readers are about to see. @throws name-in-use-by-alias */
  admit(name: string): Promise<void>;
}

/** A transaction that has its turn among the changes of an index. */
export interface IndexChange {
  readonly client: ChangingClient;
  /** Of this change. */
  readonly lsn: Lsn;
}

export interface DatabaseOptions {
  readonly url: string;
  /** At least 4. */
  readonly connectionsMax: number;
  /** How the tables of new indexes are spread; default `none`. */
  readonly shards?: Shards;
  /**
   * True when an index has an alias of this name. Asked within the write that creates a namespace of the name: other
   * nodes may have made the alias since the request began. By default, nothing has.
   */
  readonly isAlias?: (indexId: string, name: string) => Promise<boolean>;
  /** Called when a change has discarded namespaces. By default, nothing is. */
  readonly onDiscarded?: () => void;
}

type Kind = 'read' | 'write' | 'copy';
/** A session without bounds: it takes as long as the tables are large. */
const PREPARE = 'set statement_timeout to 0; set idle_in_transaction_session_timeout to 0';

const BEGIN: Readonly<Record<Kind, string>> = {
  read: 'begin isolation level repeatable read read only',
  write: `begin isolation level read committed; set local statement_timeout to ${WRITE_MS}`,
  copy: `begin isolation level repeatable read read only; set local statement_timeout to ${WRITE_MS};
set local idle_in_transaction_session_timeout to 0`,
};

export class Database {
  readonly shards: Shards;
  readonly #isAlias: NonNullable<DatabaseOptions['isAlias']>;
  readonly #onDiscarded: () => void;
  readonly #pool: pg.Pool;
  readonly #prepared = new PreparedStatements();
  readonly #writes: BoundedSlots;
  readonly #copies: BoundedSlots;
  readonly #turns: ChangeTurns;

  constructor({ url, connectionsMax, shards = 'none', isAlias, onDiscarded }: DatabaseOptions) {
    this.shards = shards;
    this.#onDiscarded = onDiscarded ?? (() => undefined);
    this.#isAlias = isAlias ?? (() => Promise.resolve(false));
    this.#pool = openPool({ url, connectionsMax, schema: SCHEMA, statementMs: READ_MS, isPipelined: true });
    const share = (part: number) => Math.max(1, Math.floor(connectionsMax * part));
    // One change of each index waits here at most, which their turns count: a bound over all would refuse some for others.
    this.#writes = new BoundedSlots({
      slots: share(WRITES_SHARE),
      waitingMax: Number.POSITIVE_INFINITY,
    });
    this.#copies = new BoundedSlots({
      slots: share(COPIES_SHARE),
      waitingMax: COPIES_WAITING_MAX,
    });
    this.#turns = new ChangeTurns(this.#writes);
  }

  /** The result of one statement that only reads, or that is safe to repeat. @throws database-unavailable */
  read<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
    return this.#withClient(async (client) => {
      const result = await ask<Row>(client, {
        text: sql,
        values: [...values],
        query_timeout: answerMs('read'),
      });
      client.release();
      return result;
    });
  }

  /**
   * As `read`, prepared when it comes again: for statements that many requests make.
   * @param settings for the transaction of the statement, as SQL: they travel with it
   */
  readOften<Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[],
    settings: string | null = null,
  ) {
    const name = this.#prepared.nameOf(sql);
    const statement = { text: sql, values: [...values], query_timeout: answerMs('read') };
    return this.#withClient(async (client) => {
      const named = name === undefined ? statement : { ...statement, name };
      const result = await (settings === null
        ? ask<Row>(client, named)
        : askWith<Row>(client, named, settings));
      // Another connection takes the place of one with too many plans.
      client.release(name !== undefined && !this.#prepared.note(client, name));
      return result;
    });
  }

  /** Rows of one statement on the tables of an index. @throws index-not-found when they are missing */
  async rows<Row extends pg.QueryResultRow>(
    sql: string,
    values: readonly unknown[],
    { name }: Pick<IndexProfile, 'name'>,
  ): Promise<readonly Row[]> {
    try {
      return (await this.read<Row>(sql, values)).rows;
    } catch (error) {
      throw isMissingTable(error) ? fault('index-not-found', { name }) : error;
    }
  }

  /** Reads one state. */
  snapshot<Value>(work: (client: Queryable) => Promise<Value>): Promise<Value> {
    return this.#transaction('read', work);
  }

  /** Changes tables: all or nothing. */
  transaction<Value>(work: (client: Queryable) => Promise<Value>): Promise<Value> {
    return this.#writes.run(() => this.#transaction('write', work));
  }

  /**
   * Changes an index: all or nothing, one change after the other.
   * @param isWanted as of its turn @throws index-not-found, overloaded, clientGone
   */
  async change<Value>(
    profile: IndexProfile,
    work: (change: IndexChange) => Promise<Value>,
    isWanted?: ChangeTurn['isWanted'],
  ): Promise<Value> {
    const touched = new Set<number>();
    const discarded = new Set<number>();
    let lsn = 0;
    const change = async ({ query }: Queryable) => {
      const { rows } = await query<{ readonly lsn: number }>(
        'update indexes set lsn = lsn + 1 where id = $1 returning lsn',
        [profile.id],
      );
      const [row] = rows;
      if (row === undefined) throw fault('index-not-found', { name: profile.name });
      ({ lsn } = row);
      const client = {
        query,
        touch: (namespace: number) => touched.add(namespace),
        discard: (namespace: number) => discarded.add(namespace),
        admit: async (name: string) => {
          if (await this.#isAlias(indexIdOf(profile), name)) throw fault('name-in-use-by-alias', { name });
        },
      };
      return work({ client, lsn });
    };
    const last = () => `${noteRemovals(profile.id, discarded)}${noteChanges(profile.id, lsn, touched)}`;
    const turn = { indexId: profile.id, isWanted };
    const value = await this.#turns.run(turn, () => this.#transaction('write', change, last));
    if (discarded.size > 0) this.#onDiscarded();
    return value;
  }

  /** Resolves when the changes of an index that any node has begun have ended. */
  async earlierChanges(indexId: string): Promise<void> {
    await this.#turns.earlier(indexId);
    // Every open change has this row, whichever node makes it.
    await this.transaction(({ query }) => query('select from indexes where id = $1 for update', [indexId]));
  }

  /** A connection that reads one state for as long as it takes. The caller must release it. @throws overloaded */
  async longSnapshot(): Promise<OwnConnection> {
    const free = await this.#copies.take();
    try {
      const client = await this.#opened(BEGIN.copy);
      let isReleased = false;
      return {
        query: (sql, values) => this.#ask(client, answerMs('copy'), sql, values),
        release: async () => {
          if (isReleased) return;
          isReleased = true;
          await end(client);
          free();
        },
      };
    } catch (error) {
      free();
      throw error;
    }
  }

  /** As `transaction`, for one that takes long. */
  longTransaction<Value>(work: (client: Queryable) => Promise<Value>): Promise<Value> {
    return this.#copies.run(() =>
      this.#transaction('write', async (client) => {
        await client.query('set local idle_in_transaction_session_timeout to 0');
        return work(client);
      }),
    );
  }

  /**
   * A session for what comes before everything else: each statement is a transaction, unless it begins one, and takes as
   * long as it needs. Its end ends its locks, and what it has begun.
   */
  async preparation<Value>(work: (client: Queryable) => Promise<Value>): Promise<Value> {
    const client = await this.#opened(PREPARE);
    try {
      return await work({ query: (sql, values) => this.#ask(client, TIMER_MS_MAX, sql, values) });
    } finally {
      client.release(true);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** @param last SQL that travels with the commit */
  async #transaction<Value>(
    kind: Kind,
    work: (client: Queryable) => Promise<Value>,
    last: (() => string) | null = null,
  ): Promise<Value> {
    const client = await this.#opened(BEGIN[kind]);
    const answer = answerMs(kind);
    try {
      const value = await work({ query: (sql, values) => this.#ask(client, answer, sql, values) });
      await this.#ask(client, answer, last === null ? 'commit' : `${last()}; commit`);
      client.release();
      return value;
    } catch (error) {
      await end(client);
      throw error;
    }
  }

  /** A connection after its first SQL. Nothing has happened before, so another one may be tried. */
  #opened(sql: string): Promise<pg.PoolClient> {
    return this.#withClient(async (client) => {
      await ask(client, { text: sql, query_timeout: answerMs('read') });
      return client;
    });
  }

  async #withClient<Value>(use: (client: pg.PoolClient) => Promise<Value>): Promise<Value> {
    for (let tried = 1; ; tried++) {
      let client: pg.PoolClient | undefined;
      try {
        client = await this.#pool.connect();
        return await use(client);
      } catch (error) {
        const isLost = isConnectionLost(error);
        client?.release(isLost);
        if (!isLost || client === undefined || tried === CONNECTIONS_TRIED_MAX) throw queryError(error);
      }
    }
  }

  async #ask<Row extends pg.QueryResultRow>(
    client: pg.PoolClient,
    answerMs: number,
    sql: string,
    values: readonly unknown[] = [],
  ) {
    try {
      return await ask<Row>(client, { text: sql, values: [...values], query_timeout: answerMs });
    } catch (error) {
      throw queryError(error);
    }
  }
}

/** `query_timeout` is an option of each statement, which the types leave out. */
type Statement = pg.QueryConfig & { readonly query_timeout: number };

function ask<Row extends pg.QueryResultRow>(client: pg.PoolClient, statement: Statement) {
  return client.query<Row>(statement);
}

/** Three messages at a time, one round trip: the connection is one of a pipelined pool. */
async function askWith<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statement: Statement,
  settings: string,
) {
  const { query_timeout } = statement;
  const begun = ask(client, { text: `begin read only; ${settings}`, query_timeout });
  const result = ask<Row>(client, statement);
  const ended = ask(client, { text: 'commit', query_timeout });
  // All of them: a failure that nobody waits for yet would end the process.
  const [beginning, , end] = await Promise.allSettled([begun, result, ended]);
  for (const outcome of [beginning, end]) if (outcome.status === 'rejected') throw outcome.reason;
  return result;
}

function answerMs(kind: Kind): number {
  return (kind === 'read' ? READ_MS : WRITE_MS) + ANSWER_EXTRA_MS;
}

/** Rolls back. A connection that cannot is closed, and the server rolls back. */
async function end(client: pg.PoolClient): Promise<void> {
  const isEnded = await ask(client, { text: 'rollback', query_timeout: ANSWER_EXTRA_MS }).then(
    () => true,
    () => false,
  );
  client.release(!isEnded);
}

/** True for the error of a statement on tables that do not exist. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;
}
