// Lets the indexes of a writer thread share memory: cold ones are evicted when another needs space.
import { monotonicSeconds } from '../../../platform/monotonic-clock.ts';
import type { PeerIndexes } from '../indexing/evictor.ts';
import type { IndexMemoryUse } from '../indexing/open-index.ts';

export interface ColdIndexesOptions {
  /** The open indexes. */
  readonly indexes: () => Iterable<IndexMemoryUse>;
  /** How long an index must be unused before it may be evicted. */
  readonly coldAfterSeconds: number;
  /** Called with the memories of an evicted index. */
  readonly onLeft: (memories: readonly WebAssembly.Memory[]) => void;
}

export class ColdIndexes {
  readonly #options: ColdIndexesOptions;

  constructor(options: ColdIndexesOptions) {
    this.#options = options;
  }

  /** The other indexes, as seen by one that needs memory. */
  peersOf(own: () => IndexMemoryUse): PeerIndexes {
    return {
      evictableFrames: () =>
        this.#coldOnes(own()).reduce((sum, { evictableFrames }) => sum + evictableFrames, 0),
      evictColdest: () => this.evictColdest(own()),
    };
  }

  /** Evicts the coldest index. @returns the number of frames freed; 0 when no index is cold */
  evictColdest(except: IndexMemoryUse | null = null): number {
    const [coldest] = this.#coldOnes(except).toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (coldest === undefined) return 0;
    const { evictableFrames } = coldest;
    this.#options.onLeft(coldest.empty());
    return evictableFrames;
  }

  /** Gives back the memory that moves to another memory profile have left. Call every second or so. */
  leaveOld(): void {
    for (const index of this.#options.indexes()) {
      const memories = index.leaveOld();
      if (memories.length > 0) this.#options.onLeft(memories);
    }
  }

  #coldOnes(except: IndexMemoryUse | null): readonly IndexMemoryUse[] {
    const { indexes, coldAfterSeconds } = this.#options;
    const coldUntil = monotonicSeconds() - coldAfterSeconds;
    return [...indexes()].filter(
      (each) => each !== except && each.evictableFrames > 0 && each.lastUsed <= coldUntil,
    );
  }
}
