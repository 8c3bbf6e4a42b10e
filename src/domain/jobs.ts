// Jobs: durable work behind requests, as every part of the server sees it.

/** The first three are active. `Undoing` removes what a failed or cancelled job left; then it is one of the last two. */
export type JobState = 'Pending' | 'Running' | 'Undoing' | 'Completed' | 'Failed' | 'Cancelled';

export const ACTIVE_JOB_STATES: readonly JobState[] = ['Pending', 'Running', 'Undoing'];

export interface Job {
  readonly id: string;
  /** Names the code that does it. */
  readonly kind: string;
  readonly projectId: string;
  /** The index it works on. Before the storage of that index goes, the job is cancelled and has ended. */
  readonly indexId: string | null;
  /** What else it is about; jobs are found by it. */
  readonly subject: string | null;
  readonly state: JobState;
  /** 0 to 100. */
  readonly percent: number;
  /** JSON-ready; never changes. */
  readonly input: unknown;
  /** JSON-ready progress in the terms of its kind; null at first. Stays after the end. */
  readonly progress: unknown;
  /** Why it is being undone or has failed, in words for its owner. */
  readonly error: string | null;
  /** True when somebody has cancelled it. */
  readonly isCancelled: boolean;
  /** Number of starts, not counting those that a shutdown of the server ended. */
  readonly attempts: number;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

export type NewJob = Pick<Job, 'id' | 'kind' | 'projectId' | 'indexId' | 'subject' | 'input' | 'createdAt'>;

/** Finished jobs kept per project and kind: the newest. */
export const FINISHED_JOBS_MAX = 1_000;

export function isActive({ state }: Pick<Job, 'state'>): boolean {
  return ACTIVE_JOB_STATES.includes(state);
}
