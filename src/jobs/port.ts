// The port of jobs: kinds of jobs, their runs, and the queue.
import type { Job, NewJob } from '../domain/jobs.ts';

export type { Job, NewJob } from '../domain/jobs.ts';

/** @param others active jobs of the same kind and index, with what they have stored */
export type AdmitProgress = (others: readonly Job[]) => void;

/** A running job. */
export interface JobRun<Input = unknown, Progress = unknown> {
  /** As it was claimed: `progress` is the last checkpoint. */
  readonly job: Job<Input, Progress>;
  /** Aborted when the job is cancelled, the server stops, or the lease is lost. Check it often. */
  readonly signal: AbortSignal;
  /** 0 to 100. Kept in memory and written from time to time. */
  percent(value: number): void;
  /**
   * Stores JSON-ready progress, from which a later run starts. Durable when it resolves. Rejects with the signal's
   * reason once another process may run the job: whatever a second run must not do beside it comes right after one.
   * @param admit called before with the other active jobs of the kind and index, in one transaction: of two jobs that
   *   store progress so, on whichever nodes, one sees that of the other. What it throws stores nothing
   */
  checkpoint(progress: Progress, admit?: AdmitProgress): Promise<void>;
}

/** `Input` and `Progress` are what its jobs store: only their kind writes them. */
export interface JobKind<Input = unknown, Progress = unknown> {
  readonly kind: string;
  /** Maximum starts. A start that a shutdown ended does not count; one that a crash ended does. */
  readonly attemptsMax?: number;
  /**
   * Does the work; a later run resumes at `job.progress` or starts over. May run once more
   * after completion if the process dies before recording it.
   * @throws JobFailure to fail permanently at once; JobPostponed; the signal's reason when aborted; anything else is
   *   retried
   */
  run(run: JobRun<Input, Progress>): Promise<void>;
  /**
   * Looks at a failed or cancelled job before `undo`. Resolves with 'completed' where a run did all its work and its
   * process died before recording that: the job ends as Completed. Otherwise with progress to store before anything is
   * removed, so that a repeated look after the removal does not take it for that; null for none.
   */
  beforeUndo?(job: Job<Input, Progress>): Promise<'completed' | Progress | null>;
  /** Removes what a failed or cancelled job left. Must be safe to repeat, since it is retried. */
  undo?(job: Job<Input, Progress>, outcome: 'Failed' | 'Cancelled'): Promise<void>;
  /** True where `undo` takes back a completed job, too: then none completes that was cancelled before. Default: false. */
  readonly undoesCompleted?: boolean;
  /**
   * Tries of `undo` after which a job ends although something of it may be left, where that does no harm: a job that
   * depends on storage that is not the server's own. Default: without limit.
   */
  readonly undoAttemptsMax?: number;
  /**
   * False where `undo` ends without the index, too: a deletion of the index does not wait for it, and it may go on when
   * the index is gone. Default: true.
   */
  readonly undoNeedsIndex?: boolean;
}

/** The job cannot succeed; the message is for its owner. */
export class JobFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JobFailure';
  }
}

/** The job cannot run before somebody does something. It is tried again from time to time, which counts as no start. */
export class JobPostponed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JobPostponed';
  }
}

export interface JobQueue {
  /** Stores the job, which starts when its turn comes. */
  enqueue(job: NewJob): Promise<Job>;
  /** Checks for newly stored jobs now. */
  wake(): void;
  /** Undoes the job and marks it Cancelled. No effect on a job that has ended. */
  cancel(id: string): Promise<void>;
  /**
   * Resolves when no run of the job is under way in this process, which decides whether a cancelled job was completed
   * first. Does not wait for the undo, and not longer than some seconds for a run that ignores its signal.
   */
  decided(id: string): Promise<void>;
  /**
   * Cancels every active job of an index and resolves when they have ended, but for undos that do not need the index.
   * @throws when the server stops first
   */
  endJobsOf(indexId: string): Promise<void>;
}
