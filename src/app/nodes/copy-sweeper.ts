// Removes what this node has and nothing will use any more: copies of moves that failed, or that left them behind, and
// what other nodes have taken over.
import type { JobStore, NodeStore } from '../../catalog/port.ts';
import { MOVE_KIND } from '../../domain/nodes/takeover.ts';
import { DelayedWork } from '../../platform/delayed-work.ts';
import type { ReceivedCopies } from './received-copies.ts';

const PAUSE_MS = 30_000;
const SWEEP = 'sweep';

export interface CopySweeperParts {
  readonly nodeId: string;
  readonly store: Pick<NodeStore, 'placements' | 'leftovers' | 'condemnLeftover' | 'endLeftover'>;
  readonly jobs: Pick<JobStore, 'active'>;
  readonly received: Pick<ReceivedCopies, 'drop'>;
  readonly dropStorage: (storageId: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export class CopySweeper {
  readonly #parts: CopySweeperParts;
  readonly #work: DelayedWork;
  /** Leftovers of the look before. */
  #seen = new Set<string>();

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
    await this.#sweepLeftovers();
  }

  /**
   * At the second look, so that questions that began before an exchange find their chunks, and a takeover that is being
   * prepared its indexes.
   */
  async #sweepLeftovers(): Promise<void> {
    const { nodeId, store, dropStorage } = this.#parts;
    const seen = this.#seen;
    this.#seen = new Set();
    for (const leftover of await store.leftovers(nodeId)) {
      if (!seen.has(leftover.storageId)) this.#seen.add(leftover.storageId);
      else if (await store.condemnLeftover(leftover)) {
        await dropStorage(leftover.storageId);
        await store.endLeftover(leftover);
      }
    }
  }
}
