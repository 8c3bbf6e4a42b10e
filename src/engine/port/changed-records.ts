// Which records of an index have changed since tracking began, for a follower that copies them elsewhere.
import type { Lsn } from './reader-and-writer.ts';

/** A record that was written or deleted, or a namespace of which more changed than single records. */
export interface ChangedRecord {
  readonly namespace: string;
  /** Null for the namespace as a whole: it was created, dropped or published. */
  readonly id: string | null;
  /** The last write that changed it. */
  readonly lsn: Lsn;
}

export interface ChangedPage {
  /** In an order of the engine's own, at most as many as requested. */
  readonly changed: readonly ChangedRecord[];
  /** The number of all. */
  readonly total: number;
}

/**
 * The changes of one index. A record is listed once, however often it was written. Every change is covered; an engine
 * may list what did not change. Writes to staged namespaces are not listed before these are published.
 */
export interface ChangedRecords {
  /** Notes every later change, in the transaction that makes it. Safe to repeat. @throws index-not-found */
  track(): Promise<void>;
  /** Ends tracking and forgets all changes. Safe to repeat, and without effect on an index that does not exist. */
  forget(): Promise<void>;
  /** @throws index-not-found */
  list(limit: number): Promise<ChangedPage>;
  /** Forgets these, except those that have changed again. @throws index-not-found */
  settle(changed: readonly ChangedRecord[]): Promise<void>;
}
