// What every index reader of a thread shares: its number, the epochs it pins, a memory of its own for direct searches.
import type { Epochs } from '../memory/epochs.ts';
import type { Workspace } from './workspace.ts';

export interface ReaderContext {
  /** Which reader thread this is, from 0. */
  readonly reader: number;
  readonly epochs: Epochs;
  /** For searches that need no index memory. */
  readonly workspace: Workspace;
}

/**
 * Runs `work` while nothing that a reader can see is reused. The work must be synchronous, and must take its
 * snapshots inside.
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
