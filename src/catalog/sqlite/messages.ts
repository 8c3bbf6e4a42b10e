// What passes between the serving thread and the thread that owns the SQLite connection.

export type SqlValue = null | number | bigint | string | Uint8Array;

/** `rollback` has an operation of its own: SQLite may have rolled back by itself after a full disk. */
export type Operation =
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SqlValue[] }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'close' };

export interface Request {
  readonly id: number;
  readonly operation: Operation;
}

export interface QueryRows {
  readonly rows: readonly Record<string, SqlValue>[];
  /** Rows changed by a statement that returns none. */
  readonly changes: bigint;
}

/** A SQLite failure as plain data: error objects lose their code between threads. */
export interface Failure {
  /** SQLite's extended result code; its low byte is the primary one. 0 when SQLite is not the cause. */
  readonly code: number;
  readonly message: string;
}

export type Response =
  | { readonly id: number; readonly result: QueryRows }
  | { readonly id: number; readonly failure: Failure };

/** Id of the first message: the database is open, or why it is not. */
export const OPENING_ID = 0;
