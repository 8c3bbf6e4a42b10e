// A request that the composition's executor parses and answers beside the data; the engine only carries it to a thread.
import type { IndexProfile } from '../../../domain/index-model.ts';

export interface Task {
  readonly index: IndexProfile;
  /** `read` goes to any reader thread, `write` to the writer thread of the index. */
  readonly queue: 'read' | 'write';
  /** What the executor needs, as plain data. */
  readonly details: unknown;
  /** Pieces whose buffers move to the thread. */
  readonly body: readonly Uint8Array[];
}

/** A task as it arrives in its thread. */
export type ThreadTask = Omit<Task, 'queue'>;

export interface TaskResult {
  /** Plain data. */
  readonly answer: unknown;
  /** True when the task failed: a reader thread tries it again if the index was closed under it. */
  readonly isFailure: boolean;
}
