// What the control plane and monitoring ask about the time to live of indexes.
import type { ProjectAccess } from '../access.ts';
import type { TimeToLive } from './time-to-live.ts';

/** The time to live of indexes, as callers set it. */
export interface TimeToLives {
  /** Null where records do not expire. @throws index-not-found */
  describe(access: ProjectAccess, indexName: string): Promise<TimeToLive | null>;
  /** In force for every request that begins after it resolves. @throws index-not-found, index-not-ready, lifetime-of-alias, invalid-argument */
  set(access: ProjectAccess, indexName: string, ttl: TimeToLive): Promise<TimeToLive>;
  /** Records that have expired and are not removed yet are seen again. @throws index-not-found, index-not-ready */
  end(access: ProjectAccess, indexName: string): Promise<void>;
}

/** What the background has removed from an index since the start of the process. */
export interface RemovalFigures {
  readonly removed: number;
  /** When the earliest record expired that was not removed yet at the last look, in seconds since 1970; null for none. */
  readonly oldest: number | null;
}
