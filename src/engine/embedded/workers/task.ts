// A request that the executor of the composition parses and answers beside the data; the engine only delivers it.
import type { IndexProfile } from '../../../domain/index-model.ts';

export interface Task {
  readonly index: IndexProfile;
  /** `read` is for any reader thread, `write` for the writer thread of the index. */
  readonly queue: 'read' | 'write';
  /** Whoever it is for: callers share the threads fairly. The product itself by default. */
  readonly caller?: string;
  /** Whether anybody still waits for the answer; default true. A read that is not begun is dropped otherwise. */
  readonly isWanted?: () => boolean;
  /** Milliseconds that a read may be expected to take, where it asks for much; default unknown. */
  readonly guessMs?: number | undefined;
  /** Whether an answer tells how long reads take that ask for as much; default true. */
  readonly isTelling?: ((answer: unknown) => boolean) | undefined;
  /** Input of the executor, as plain data. */
  readonly details: unknown;
  /** The request body in pieces, whose buffers are transferred to the thread. */
  readonly body: readonly Uint8Array[];
}

/** A task as it arrives in its thread. */
export type ThreadTask = Omit<Task, 'queue' | 'isWanted' | 'guessMs' | 'isTelling'>;

export interface TaskResult {
  /** Plain data. */
  readonly answer: unknown;
  /** True when the task failed: a reader thread retries it if the index was closed meanwhile. */
  readonly isFailure: boolean;
}
