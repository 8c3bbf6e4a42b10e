// Connections to PostgreSQL: a bounded pool, each connection with the same settings.
import pg from 'pg';

const CONNECT_MS = 5_000;
const STATEMENT_MS = 15_000;
/** Who stands still in the middle of a change loses it: others may wait for what it has locked. */
const IDLE_IN_TRANSACTION_MS = 10_000;
/** After the server's own bound: for a server that no longer answers at all. */
const ANSWER_MS = STATEMENT_MS + 5_000;
const INT8 = 20;
const NUMERIC = 1_700;

export interface SessionOptions {
  readonly url: string;
  /** Where its tables are. */
  readonly schema: string;
  /** Connections of this node at most. */
  readonly connectionsMax: number;
  /** How long a statement may take. */
  readonly statementMs?: number;
  /** How long it may stand still in the middle of a change. */
  readonly idleInTransactionMs?: number;
  /** Whether a connection sends statements before those ahead of them are answered; default false. */
  readonly isPipelined?: boolean;
}

/** Of sessions that hold a lock as long as they live: the server finds the connection of a lost machine dead in 25 s. */
export const KEEPALIVES =
  'set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 3';

/** All numbers that are read are below 2^53, sums and counts too. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 || oid === NUMERIC
      ? Number
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

export function clientOptions({
  url,
  statementMs = STATEMENT_MS,
}: Pick<SessionOptions, 'url' | 'statementMs'>) {
  return {
    connectionString: url,
    application_name: 'pinyon',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: Math.max(ANSWER_MS, statementMs + ANSWER_MS - STATEMENT_MS),
    keepAlive: true,
    types,
  } satisfies pg.ClientConfig;
}

/** Opens connections as they are needed. */
export function openPool(options: SessionOptions): pg.Pool {
  const pool = new pg.Pool({
    ...clientOptions(options),
    max: options.connectionsMax,
    pipeline: options.isPipelined ?? false,
    onConnect: (client) => prepareSession(client, options),
  });
  // A connection that breaks while nobody uses it leaves the pool; the next user gets another one.
  pool.on('error', () => undefined);
  return pool;
}

/**
 * Without compilation to machine code: all statements are short, and one whose plan looks expensive, as that of a search
 * by the graph does, takes half a second to compile and milliseconds to run.
 *
 * Statements rather than options of the connection, which connection poolers refuse.
 */
async function prepareSession(
  client: pg.ClientBase,
  { schema, statementMs = STATEMENT_MS, idleInTransactionMs = IDLE_IN_TRANSACTION_MS }: SessionOptions,
): Promise<void> {
  // A connection that breaks between two statements says so to the next one.
  client.on('error', () => undefined);
  await client.query(
    `${setPath(schema)};
     set jit to off;
     set statement_timeout to ${statementMs};
     set idle_in_transaction_session_timeout to ${idleInTransactionMs};
     select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off';`,
  );
}

/** The statement that finds the tables of a schema by their names, and pgvector in whichever schema it is. */
export function setPath(schema: string): string {
  return `select set_config('search_path', concat_ws(', ', '${schema}', 'public',
    (select extnamespace::regnamespace::text from pg_extension where extname = 'vector')), false)`;
}

/** Host, port and name of a database, for messages: nothing secret. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname === '' ? 'localhost' : hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}
