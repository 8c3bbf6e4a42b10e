// Checks of indexes while they are served, as the APIs request them.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';
import type { IndexCheck } from './index-check.ts';

/** What a check has found, with at most LISTED_IDS_MAX ids. */
export interface CheckFindings {
  readonly check: IndexCheck;
  /** The last backup of the index; null when there is none. */
  readonly backup: { readonly id: string; readonly problem: string | null } | null;
}

export interface IndexCheckRun extends Pick<Job, 'state' | 'percent' | 'error' | 'createdAt' | 'finishedAt'> {
  /** Null until it is complete. */
  readonly findings: CheckFindings | null;
}

/** Ids of lost records that a check of a served index lists. */
export const LISTED_IDS_MAX = 1_000;

export interface IndexChecks {
  /** Begins a check, or returns the one that is running. @throws index-not-found */
  start(access: ProjectAccess, name: string): Promise<IndexCheckRun>;
  /** The latest of the index. @throws index-not-found, index-check-not-found */
  latest(access: ProjectAccess, name: string): Promise<IndexCheckRun>;
}
