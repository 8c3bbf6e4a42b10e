// What the main thread calls the thread for that owns the SQLite connection.
import type { CatalogPages } from '../pages.ts';

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

/** What has changed in the file since it was looked at last. */
export interface PagesRequest {
  /** Of the look before; null for the first one. */
  readonly known: { readonly version: number; readonly sums: Uint8Array } | null;
}

/** Calls run one by one, in the order they were made. Each fails with a SqliteError. */
export interface DatabaseMethods {
  /** Opens the file of this path, before anything else. */
  readonly open: { readonly request: string; readonly response: null };
  /**
   * From now on, files beside the catalog tell what it and its log must be like. Has no effect where they already did, as
   * of the release that migrated it: that one keeps them, too.
   */
  readonly protect: { readonly request: null; readonly response: null };
  readonly query: { readonly request: Query; readonly response: QueryRows };
  /** Call between transactions. Null where nothing has changed. */
  readonly pages: { readonly request: PagesRequest; readonly response: CatalogPages | null };
  /** A separate method, since SQLite may have rolled back by itself after a full disk. */
  readonly rollback: { readonly request: null; readonly response: null };
}
