// The catalog's part for jobs: their rows, and the leases that give each to one runner at a time.
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Job, JobState, NewJob } from '../../domain/jobs.ts';

export type { Job, NewJob } from '../../domain/jobs.ts';

/** Names jobs by what they are about; absent filters let everything pass. */
export interface JobFilter {
  readonly kind?: string;
  readonly indexId?: string;
  readonly subject?: string;
}

export interface JobRef {
  readonly projectId: string;
  readonly kind: string;
  readonly id: string;
}

export interface JobCount {
  readonly kind: string;
  readonly state: JobState;
  readonly jobs: number;
}

export interface Claim {
  /** Whose lease it becomes. */
  readonly owner: string;
  readonly kinds: readonly string[];
  /** Times are ISO texts. */
  readonly now: string;
  readonly leaseUntil: string;
}

/** How a run ended. */
export type JobOutcome =
  | { readonly kind: 'completed' }
  /** Again from `dueAt` on; `counts` is false for a run that the stop of the server ended. */
  | {
      readonly kind: 'again';
      readonly dueAt: string;
      readonly counts: boolean;
      readonly error: string | null;
    }
  /** To be undone, from `dueAt` on. */
  | { readonly kind: 'undo'; readonly dueAt: string; readonly error: string | null }
  /** Undone: what it ends as follows from whether it was cancelled. */
  | { readonly kind: 'undone' };

export interface JobStore {
  insert(job: NewJob): Promise<Job>;
  find(ref: JobRef): Promise<Job | null>;
  /** Newest first. */
  list(
    query: JobFilter & { readonly projectId: string; readonly kind: string },
    page: PageQuery,
  ): Promise<Page<Job>>;
  /** Those that have not ended, oldest first. */
  active(filter: JobFilter): Promise<readonly Job[]>;
  /** How many jobs of a project are kept of each kind in each state; what there is none of is left out. */
  counts(projectId: string): Promise<readonly JobCount[]>;

  /** Leases the oldest job that is due and nobody has, started or (cancelled, failed) undoing; null when there is none. */
  claim(claim: Claim): Promise<Job | null>;
  /** Prolongs leases of these jobs. Answers the ids still held, with whether somebody has cancelled them. */
  renew(
    ids: readonly string[],
    lease: Pick<Claim, 'owner' | 'leaseUntil'>,
  ): Promise<ReadonlyMap<string, boolean>>;
  /** Takes the leases from everybody: for a runner that knows it is alone. */
  releaseAll(): Promise<void>;
  /** No effect without the lease. */
  saveProgress(id: string, owner: string, change: { percent: number; progress?: unknown }): Promise<void>;
  /** Gives the lease back with what comes next. No effect without the lease. */
  release(id: string, owner: string, outcome: JobOutcome, now: string): Promise<void>;
  /** Asks for the end of active jobs; those that no runner has are to be undone from now on. */
  cancel(id: string, now: string): Promise<void>;
  /** When the next job that nobody has is due, as ISO text; null when none waits. */
  nextDue(kinds: readonly string[]): Promise<string | null>;
}
