// Making the vectors of an integrated index anew, as the surfaces ask for it.
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
   * Stores the work, or answers with that under way. Until it is done, texts are refused.
   * @throws index-not-found, not-integrated, embedding-changed when nobody serves the model
   */
  start(access: ProjectAccess, name: string): Promise<Reembedding>;
  /** The latest of the index. @throws index-not-found, reembedding-not-found */
  latest(access: ProjectAccess, name: string): Promise<Reembedding>;
}
