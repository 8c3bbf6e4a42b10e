// Re-embedding an integrated index, as the APIs request it.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';

export interface Reembedding extends Pick<Job, 'state' | 'percent' | 'error' | 'createdAt' | 'finishedAt'> {
  /** Records whose text was embedded again. */
  readonly remade: number;
  /** Records without a text, which keep their vectors. */
  readonly kept: number;
}

export interface Reembeddings {
  /**
   * Stores the job, or returns the one that is running. Texts are refused until it is done.
   * @throws index-not-found, not-integrated, embedding-changed when no provider serves the model
   */
  start(access: ProjectAccess, name: string): Promise<Reembedding>;
  /** The latest of the index. @throws index-not-found, reembedding-not-found */
  latest(access: ProjectAccess, name: string): Promise<Reembedding>;
}
