// What all index readers of a thread share: the thread's number, the epochs it pins, and private memory for direct
// searches.
import type { Epochs } from '../memory/epochs.ts';
import type { Workspace } from './workspace.ts';

export interface ReaderContext {
  /** Number of this reader thread, from 0. */
  readonly reader: number;
  readonly epochs: Epochs;
  /** For searches that need no memory of the index. */
  readonly workspace: Workspace;
}

/**
 * Runs `work` while nothing that a reader can see is reused. The work must be synchronous, and must take its snapshots
 * inside.
 */
export function whilePinned<Result>(
  { reader, epochs }: Pick<ReaderContext, 'reader' | 'epochs'>,
  work: () => Result,
): Result {
  epochs.pin(reader);
  try {
    return work();
  } finally {
    epochs.unpin(reader);
  }
}
