// Whether an index may close until its next use, and what must be done to it before then.
import type { RecordStore } from '../storage/record-store.ts';
import type { SnapshotPins } from '../storage/snapshot-pins.ts';
import type { BranchAccess } from './branches/branch-access.ts';
import type { CommitQueue } from './commit-queue.ts';
import { type ExpirySummary, expirySummary } from './expiry-removal.ts';
import type { GarbageCollector } from './garbage-collector.ts';
import type { HistoryKeeper } from './history/history-keeper.ts';

export interface IdlenessParts {
  readonly store: RecordStore;
  readonly queue: CommitQueue;
  readonly pins: SnapshotPins;
  readonly garbage: GarbageCollector;
  readonly branches: BranchAccess;
  readonly keeper: HistoryKeeper;
}

/** What must be done one day though nobody uses the index. */
export interface DueWork {
  readonly expiry: ExpirySummary;
  /** When its history has something to drop, in milliseconds since 1970; null for never. */
  readonly historyDueMs: number | null;
}

export class Idleness {
  readonly #parts: IdlenessParts;

  constructor(parts: IdlenessParts) {
    this.#parts = parts;
  }

  /** True while no write waits or is under way, and no copy reads rows. */
  isQuiet(): boolean {
    const { store, queue, pins, garbage, branches, keeper } = this.#parts;
    store.refresh();
    if (queue.length > 0 || pins.isHeld || garbage.isBusy) return false;
    return !branches.isBusy && !keeper.isBusy;
  }

  due(): DueWork {
    const { store, keeper } = this.#parts;
    return { expiry: expirySummary(store), historyDueMs: keeper.dueMs() };
  }
}
