// What the console shows live of a project: its latest requests, and figures of each minute of a day.
import type { ProjectAccess } from './access.ts';

export interface SeenRequest {
  /** Counts the requests of the project since the start. */
  readonly number: number;
  /** ISO time of its end. */
  readonly at: string;
  readonly method: string;
  /** With parameters in braces; never values of them. */
  readonly route: string;
  /** Null where the client went before the answer. */
  readonly status: number | null;
  /** Why it was refused or failed; null for others. */
  readonly reason: string | null;
  readonly ms: number;
  /** The name of the index; null for requests to none. */
  readonly index: string | null;
  /** The key, person or service account that sent it. */
  readonly principalId: string;
  readonly requestId: string;
}

export const MINUTES_OF_DAY = 1_440;

/** One number for each minute, the oldest first. */
export interface MinuteFigures {
  readonly queries: readonly number[];
  readonly writes: readonly number[];
  readonly others: readonly number[];
  /** Answered with 400 to 499. */
  readonly refused: readonly number[];
  /** Answered with 500 and above. */
  readonly failed: readonly number[];
  /** Of queries, as upper bounds in milliseconds; null for minutes without any. */
  readonly p50Ms: readonly (number | null)[];
  readonly p99Ms: readonly (number | null)[];
}

export interface LiveFigures {
  /** ISO time of the first minute. */
  readonly from: string;
  readonly figures: MinuteFigures;
}

export interface FollowingOptions {
  /** Only requests with higher numbers; all where that is one from before a restart. */
  readonly after: number;
  /** 0 for what there is. */
  readonly seconds: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

export interface LiveView {
  /** Figures of an index, or of all indexes of the project together. @throws index-not-found */
  figures(access: ProjectAccess, indexName: string | null, minutes: number): Promise<LiveFigures>;
  /**
   * The latest requests of the project after a number, and each further one as it ends, until `seconds` have passed.
   * @throws overloaded, at the first list, when too many follow
   */
  follow(access: ProjectAccess, options: FollowingOptions): AsyncIterable<readonly SeenRequest[]>;
}
