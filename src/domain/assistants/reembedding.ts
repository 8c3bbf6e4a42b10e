// Re-embedding the files of an assistant, as the APIs request it.
import type { ProjectAccess } from '../access.ts';
import type { Job } from '../jobs.ts';

export interface AssistantReembedding
  extends Pick<Job, 'state' | 'percent' | 'error' | 'createdAt' | 'finishedAt'> {
  /** Files that answer again. */
  readonly remade: number;
  /** Files that could not be read or embedded again; each says why and keeps its bytes. */
  readonly failed: number;
}

export interface AssistantReembeddings {
  /**
   * Stores the job, or returns the one that is running. Files are Processing until they are embedded again.
   * @throws assistant-not-found, unknown-model
   */
  start(access: ProjectAccess, name: string): Promise<AssistantReembedding>;
  /** The latest of the assistant. @throws assistant-not-found, assistant-reembedding-not-found */
  latest(access: ProjectAccess, name: string): Promise<AssistantReembedding>;
}
