// The history of indexes and the way back to a moment in it, as the APIs request them.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';

export const HISTORY_PAGE = { min: 1, max: 100, preset: 20 };

/** How much of the past an index keeps. Times are ISO texts. */
export interface IndexHistoryDetails {
  /** Of the latest undo; null without one. */
  readonly undoState: Undo['state'] | null;
  /** Null where no history is kept. */
  readonly window: {
    readonly from: string;
    readonly fromLsn: number;
    readonly toLsn: number;
    readonly bytes: number;
    readonly changes: number;
  } | null;
}

/** What one request or job changed in one namespace, by its stored name. */
export interface PastChange {
  readonly lsn: number;
  readonly at: string;
  readonly namespace: string;
  readonly kind: string;
  readonly cause: string;
  readonly records: number;
}

export interface PastChangesRequest {
  /** By its stored name or that of an alias; null for all. */
  readonly namespace: string | null;
  /** Changes before this LSN; null for the latest. */
  readonly before: number | null;
  readonly limit: number;
}

export const FEED_PAGE = { min: 1, max: 1_000, preset: 100 };

/** Changes of one kind that one write made in one namespace, by its stored name. */
export interface FollowedChange extends Omit<PastChange, 'records'> {
  /**
   * None for a namespace that was created or deleted. One that was created with the cause `branch` or `publish` has records
   * from the first.
   */
  readonly ids: readonly string[];
  /** Behind it, where a follower goes on that has it. */
  readonly cursor: string;
}

export interface FollowRequest {
  /** A cursor or an LSN; null for the present. */
  readonly after: string | null;
  /** By its stored name; null for all. */
  readonly namespace: string | null;
  readonly limit: number;
  /** How long to wait for changes, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

export interface FollowedPage {
  readonly changes: readonly FollowedChange[];
  /** Where the next page begins. */
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** The changes of an index as they are committed, in order. */
export interface ChangeFeeds {
  /**
   * The next changes, or an empty page after the wait. @throws index-not-found, index-not-ready; followed-alias, once all
   * changes of a former namespace of the name are read; overloaded where too many wait; invalid-argument where no history
   * is kept, or it does not reach back to the cursor
   */
  next(access: ProjectAccess, name: string, request: FollowRequest): Promise<FollowedPage>;
  /** Page after page until the wait is over; empty pages keep a connection alive. Throws as `next` does. */
  follow(access: ProjectAccess, name: string, request: FollowRequest): AsyncIterable<FollowedPage>;
}

export interface UndoRequest {
  /** By its stored name; null for all that changed. */
  readonly namespace: string | null;
  /** The state to return to: after this write, or at this moment in milliseconds since 1970. */
  readonly to: { readonly lsn: number } | { readonly ms: number };
}

export interface Undo extends Pick<Job, 'state' | 'percent' | 'error' | 'createdAt' | 'finishedAt'> {
  readonly namespace: string | null;
  readonly toLsn: number;
  /** The write before the first of its own: to undo the undo, return to it. */
  readonly fromLsn: number;
  readonly restored: number;
  readonly removed: number;
  /** Namespaces that are left as they are, and why, for people; the first 100. */
  readonly left: readonly LeftNamespace[];
}

export interface LeftNamespace {
  readonly namespace: string;
  readonly reason: string;
}

export interface IndexHistories {
  /** @throws index-not-found */
  describe(access: ProjectAccess, name: string): Promise<IndexHistoryDetails>;
  /** The latest first. @throws index-not-found */
  changes(
    access: ProjectAccess,
    name: string,
    request: PastChangesRequest,
  ): Promise<{ readonly changes: readonly PastChange[]; readonly next: number | null }>;
  /**
   * Stores the job, or returns the one that does the same. @throws index-not-found, index-not-ready,
   * reembedding-under-way, write-to-alias; invalid-argument where the history does not reach back so far, or another undo of the index is under way
   */
  undo(access: ProjectAccess, name: string, request: UndoRequest): Promise<Undo>;
  /** The latest of the index. @throws index-not-found, undo-not-found */
  latestUndo(access: ProjectAccess, name: string): Promise<Undo>;
}
