// A job in its first run, for tests of a kind of jobs.
import type { Job } from '../../domain/jobs.ts';

type Given<Input> = Pick<Job<Input>, 'id' | 'kind' | 'projectId' | 'indexId' | 'input'>;

export function runningJob<Input, Progress>(
  given: Given<Input> & Partial<Job<Input, Progress>>,
): Job<Input, Progress> {
  return {
    subject: null,
    state: 'Running',
    percent: 0,
    progress: null,
    error: null,
    isCancelled: false,
    attempts: 1,
    createdAt: '',
    startedAt: null,
    finishedAt: null,
    ...given,
  };
}
