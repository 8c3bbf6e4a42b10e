// Removes the copies on this node that no move will use any more: of moves that failed, or that left them behind.
import type { JobStore, NodeStore } from '../../catalog/port.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';
import { MOVE_KIND } from './move-job.ts';
import type { ReceivedCopies } from './received-copies.ts';

const PAUSE_MS = 30_000;
const SWEEP = 'sweep';

export interface CopySweeperParts {
  readonly nodeId: string;
  readonly store: Pick<NodeStore, 'placements'>;
  readonly jobs: Pick<JobStore, 'active'>;
  readonly received: Pick<ReceivedCopies, 'drop'>;
  readonly onFailure: (error: unknown) => void;
}

export class CopySweeper {
  readonly #parts: CopySweeperParts;
  readonly #work: DelayedWork;

  constructor(parts: CopySweeperParts) {
    this.#parts = parts;
    this.#work = new DelayedWork({ retryMilliseconds: PAUSE_MS, onFailure: parts.onFailure });
  }

  start(): void {
    this.#plan(0);
  }

  close(): Promise<void> {
    return this.#work.stop();
  }

  #plan(delayMs: number): void {
    this.#work.plan(SWEEP, delayMs, async () => {
      await this.#sweep();
      this.#plan(PAUSE_MS);
    });
  }

  async #sweep(): Promise<void> {
    const { nodeId, store, jobs, received } = this.#parts;
    for (const { id, copy } of await store.placements()) {
      if (copy?.nodeId !== nodeId) continue;
      const moves = (await jobs.active({ indexId: id })).filter(({ kind }) => kind === MOVE_KIND);
      if (moves.length === 0) await received.drop({ indexId: id, storageId: copy.storageId });
    }
  }
}
