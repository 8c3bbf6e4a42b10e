// The catalog's port for jobs: their rows, and the leases that assign each job to one runner.
import type { Page, PageQuery } from '../../domain/administration/pages.ts';
import type { Job, JobState, NewJob } from '../../domain/jobs.ts';

export type { Job, NewJob } from '../../domain/jobs.ts';

/** Selects jobs; absent filters match everything. */
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
  readonly projectId: string;
  readonly kind: string;
  readonly state: JobState;
  readonly jobs: number;
}

export interface Claim {
  /** The runner that gets the lease. */
  readonly owner: string;
  readonly kinds: readonly string[];
  /** ISO time. */
  readonly now: string;
  readonly leaseUntil: string;
  /** Jobs whose runs here have not ended: whatever became of their leases, none of them begins beside its own run. */
  readonly runningIds?: readonly string[];
  /** Indexes whose jobs come after those of others, the last one last. Default none. */
  readonly servedIndexes?: readonly string[];
}

/** The outcome of a run. */
export type JobOutcome =
  /** `unlessCancelled` has the job undone where it was cancelled before this is stored. */
  | { readonly kind: 'completed'; readonly unlessCancelled?: boolean }
  /**
   * Retry from `dueAt` on, null for at once; `counts` is false for a run that a shutdown ended, or that was postponed.
   */
  | {
      readonly kind: 'again';
      readonly dueAt: string | null;
      readonly counts: boolean;
      readonly error: string | null;
    }
  /** Undo at once. */
  | { readonly kind: 'undo'; readonly error: string | null }
  /** Undone: the job ends as Cancelled if it was cancelled, otherwise as Failed. */
  | { readonly kind: 'undone' };

export interface JobStore {
  insert(job: NewJob): Promise<Job>;
  find(ref: JobRef): Promise<Job | null>;
  /** Newest first. */
  list(
    query: JobFilter & { readonly projectId: string; readonly kind: string },
    page: PageQuery,
  ): Promise<Page<Job>>;
  /** Active jobs, oldest first. */
  active(filter: JobFilter): Promise<readonly Job[]>;
  /** Counts the stored jobs of a project, or of each (null), by kind and state; omits empty counts. */
  counts(projectId: string | null): Promise<readonly JobCount[]>;

  /**
   * Leases the oldest due job that nobody holds, to run it or (cancelled, failed) to undo it; null when there is none. A
   * job whose time is further ahead than any runner lets one wait is due, too: the clock was set back.
   */
  claim(claim: Claim): Promise<Job | null>;
  /** Renews the leases of these jobs. Returns the ids that are still held, and whether each was cancelled. */
  renew(
    ids: readonly string[],
    lease: Pick<Claim, 'owner' | 'leaseUntil'>,
  ): Promise<ReadonlyMap<string, boolean>>;
  /** Ends all leases: for a runner that knows it is alone. */
  releaseAll(): Promise<void>;
  /**
   * No effect without the lease. @returns whether the runner has it
   * @param change.admit called before with the other active jobs of the kind and index, in the transaction. What it
   *   throws changes nothing
   */
  saveProgress(
    id: string,
    owner: string,
    change: { percent: number; progress?: unknown; admit?: (others: readonly Job[]) => void },
  ): Promise<boolean>;
  /** Ends the lease with the outcome. No effect without the lease. */
  release(id: string, owner: string, outcome: JobOutcome, now: string): Promise<void>;
  /** Cancels an active job. If no runner holds it, it is Undoing from then on. */
  cancel(id: string): Promise<void>;
  /** ISO time when the next unleased job is due; null when none is waiting. */
  nextDue(kinds: readonly string[]): Promise<string | null>;
}
