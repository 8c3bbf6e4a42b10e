// What the main thread calls the thread for that owns the SQLite connection.

export type SqlValue = null | number | bigint | string | Uint8Array;

export interface QueryRows {
  readonly rows: readonly Record<string, SqlValue>[];
  /** Rows changed by a statement that returns none. */
  readonly changes: bigint;
}

export interface Query {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Calls run one by one, in the order they were made. Each fails with a SqliteError. */
export interface DatabaseMethods {
  /** Opens the file of this path, before anything else. */
  readonly open: { readonly request: string; readonly response: null };
  readonly query: { readonly request: Query; readonly response: QueryRows };
  /** A separate method, since SQLite may have rolled back by itself after a full disk. */
  readonly rollback: { readonly request: null; readonly response: null };
}
