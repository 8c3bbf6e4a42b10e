// Jobs: durable work behind requests, as every part of the server sees it.

/** The first three are active. `Undoing` removes what a failed or cancelled job left; then it is one of the last two. */
export type JobState = 'Pending' | 'Running' | 'Undoing' | 'Completed' | 'Failed' | 'Cancelled';

export const ACTIVE_JOB_STATES: readonly JobState[] = ['Pending', 'Running', 'Undoing'];

/** `Input` and `Progress` are those of its kind. */
export interface Job<Input = unknown, Progress = unknown> {
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
  readonly input: Input;
  /** JSON-ready progress in the terms of its kind; null at first. Stays after the end. */
  readonly progress: Progress | null;
  /** Why it is being undone or has failed, in words for its owner. */
  readonly error: string | null;
  /** True when somebody has cancelled it. */
  readonly isCancelled: boolean;
  /** Number of starts and of failed undos, not counting those that a shutdown of the server ended. */
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

/** A stored job with the types of its kind. Only the code of a kind stores jobs of that kind, and it calls this. */
export function jobOfKind<Input, Progress = unknown>(job: Job): Job<Input, Progress> {
  return job as Job<Input, Progress>;
}
