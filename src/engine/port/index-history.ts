// The history of an index: what changed in the last hours, and the way back to a moment within them.
import type { Lsn } from './reader-and-writer.ts';

export type HistoryKind = 'upsert' | 'update' | 'delete' | 'create-namespace' | 'delete-namespace';
/**
 * `publish`: a job made a namespace visible that it had filled. `branch`: the namespace began as what another one was.
 * `merge`: a branch was merged.
 */
export type HistoryCause = 'request' | 'expiry' | 'undo' | 'publish' | 'branch' | 'merge';

/** How much of the past an index keeps. */
export interface HistoryWindow {
  /** Its earliest state that can be returned to is the one after this write. */
  readonly fromLsn: Lsn;
  /** When that was, in milliseconds since 1970. */
  readonly fromMs: number;
  readonly toLsn: Lsn;
  /** Bytes on disk, those included that wait to be used again. */
  readonly bytes: number;
  /** Changed records; one that changed twice counts twice. */
  readonly changes: number;
}

/** What one operation changed in one namespace. */
export interface HistoryEntry {
  /** Of its first write. */
  readonly lsn: Lsn;
  /** Of its last write, in milliseconds since 1970. */
  readonly ms: number;
  readonly namespace: string;
  readonly kind: HistoryKind;
  readonly cause: HistoryCause;
  /** Records changed; for a deleted namespace those that it had. */
  readonly records: number;
}

export interface HistoryPage {
  /** Latest first. */
  readonly entries: readonly HistoryEntry[];
  /** Where the next page starts (exclusive), or null on the last page. */
  readonly next: Lsn | null;
}

export interface HistoryPageRequest {
  /** Null for all. */
  readonly namespace: string | null;
  /** Null for the latest. */
  readonly before: Lsn | null;
  readonly limit: number;
}

/** How far a follower has read. */
export interface FeedPosition {
  /** All changes of writes before this one. */
  readonly lsn: Lsn;
  /** And so many of its own, in all namespaces. */
  readonly changes: number;
}

/** Changes of one kind that one write made in one namespace, in order. */
export interface FedChanges extends Pick<HistoryEntry, 'lsn' | 'ms' | 'namespace' | 'kind' | 'cause'> {
  /**
   * Of the changed records; none for a namespace that was created or deleted. One that was created with the cause `branch`
   * or `publish` has records from the first.
   */
  readonly ids: readonly string[];
  /** Behind them. */
  readonly next: FeedPosition;
}

export interface FeedRequest {
  readonly after: FeedPosition;
  /** Null for all. */
  readonly namespace: string | null;
  /** The most changes of a page. */
  readonly limit: number;
}

export interface FeedPage {
  readonly changes: readonly FedChanges[];
  /** Where the next page begins. */
  readonly next: FeedPosition;
  /** True where nothing was written after it so far. */
  readonly isEnd: boolean;
}

export interface RollBackRequest {
  /** Calls with the same key go on with the same work. */
  readonly key: string;
  readonly namespace: string;
  /** The state to return to is the one after this write. */
  readonly to: Lsn;
  /** The write after which the work began: what others write later stays. */
  readonly begun: Lsn;
  /** True where something refers to the namespace, which then stays although it was not there. Default false. */
  readonly isNeeded?: boolean;
}

/**
 * Why a namespace is left as it is. `shared-branch`: it is a branch, or another one, made since, and shows records of its
 * source, without which it would not come back. `lost-branch`: it was such a branch then, and was deleted since. `needed`:
 * it was not there then, and something refers to it.
 */
export type LeftReason = 'shared-branch' | 'lost-branch' | 'needed';

export interface RollBackProgress {
  readonly isDone: boolean;
  /** 0 to 1. */
  readonly share: number;
  /** Records written as they were, since the work began or the engine started. */
  readonly restored: number;
  /** Records removed that were not there then; not those of a namespace that was dropped as a whole. */
  readonly removed: number;
  /** Null where the namespace is not left as it is. */
  readonly left: LeftReason | null;
}

/** The history of one index. Engines whose `history` capability is false have none. */
export interface IndexHistory {
  /** Null while history is switched off. @throws index-not-found */
  describe(): Promise<HistoryWindow | null>;
  /** What changed, by operation. @throws index-not-found */
  list(request: HistoryPageRequest): Promise<HistoryPage>;
  /**
   * What was changed after a position, in the order of the writes.
   * @throws invalid-argument when the history no longer reaches back to it
   */
  feed(request: FeedRequest): Promise<FeedPage>;
  /**
   * The last write at or before a moment in milliseconds since 1970; null for a moment before the history.
   * @throws invalid-argument where that is not known, because the clock was set back
   */
  lsnAt(ms: number): Promise<Lsn | null>;
  /** The namespaces that changed after a write, up to another. */
  changedNamespaces(after: Lsn, upTo: Lsn): Promise<readonly string[]>;
  /**
   * Why `rollBack` would leave the namespace of the request as it is; null where it would not. Changes nothing.
   * @throws invalid-argument when the history no longer reaches back to `to`
   */
  whyLeft(request: RollBackRequest): Promise<LeftReason | null>;
  /**
   * Writes a part of what takes a namespace back to its state of then, as ordinary writes, which the history has, too.
   * Call it until it is done; after a crash, it goes on with the same request.
   * @throws invalid-argument when the history no longer reaches back to `to`
   */
  rollBack(request: RollBackRequest): Promise<RollBackProgress>;
}
