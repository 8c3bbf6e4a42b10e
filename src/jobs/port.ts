// What a kind of job is, and how the rest of the server asks for jobs.
import type { Job, NewJob } from '../domain/jobs.ts';

export type { Job, NewJob } from '../domain/jobs.ts';

/** A job under way. */
export interface JobRun {
  /** As it was claimed: `progress` is the last checkpoint. */
  readonly job: Job;
  /** Aborted when the job is cancelled, the server stops, or the lease is lost. To be asked often. */
  readonly signal: AbortSignal;
  /** 0 to 100. Kept in memory and written now and then. */
  percent(value: number): void;
  /** Durable when it resolves; what a later run of the job starts from. JSON-ready. */
  checkpoint(progress: unknown): Promise<void>;
}

export interface JobKind {
  readonly kind: string;
  /** Starts before it fails for good; one that a stop of the server ended does not count, one that a crash ended does. */
  readonly attemptsMax?: number;
  /**
   * Does the work; a later run does it again from where `job.progress` says, or from the start. May be run once more
   * after all is done, when the process dies before that is written down.
   * @throws JobFailure to fail for good at once; the signal's reason when it is aborted; anything else is tried again
   */
  run(run: JobRun): Promise<void>;
  /** Removes what a failed or cancelled job left. Repeated until it resolves, so it must be safe to repeat. */
  undo?(job: Job, outcome: 'Failed' | 'Cancelled'): Promise<void>;
}

/** The work cannot succeed; the message is for the job's owner. */
export class JobFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JobFailure';
  }
}

export interface JobQueue {
  /** Stores the job; it starts when its turn comes. */
  enqueue(job: NewJob): Promise<Job>;
  /** Looks at once for jobs that others have stored. */
  wake(): void;
  /** Has the job undone, then Cancelled. No effect on one that has ended. */
  cancel(id: string): Promise<void>;
  /** Cancels every active job of an index and resolves when they have ended. @throws when the server stops first */
  endJobsOf(indexId: string): Promise<void>;
}
