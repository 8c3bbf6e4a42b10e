// The indexes of a writer thread as each other's reserve of memory: those that nobody uses are emptied for one that needs it.
import type { PeerIndexes } from '../indexing/evictor.ts';
import type { IndexMemoryUse } from '../indexing/open-index.ts';

export interface ColdIndexesOptions {
  /** Those that are open now. */
  readonly indexes: () => Iterable<IndexMemoryUse>;
  /** How long nobody must have asked for anything of an index. */
  readonly coldAfterSeconds: number;
  /** Told of the memories of an index that was emptied. */
  readonly onLeft: (memories: readonly WebAssembly.Memory[]) => void;
}

export class ColdIndexes {
  readonly #options: ColdIndexesOptions;

  constructor(options: ColdIndexesOptions) {
    this.#options = options;
  }

  /** All but one index, for its sake. */
  peersOf(own: () => IndexMemoryUse): PeerIndexes {
    return {
      evictableFrames: () =>
        this.#coldOnes(own()).reduce((sum, { evictableFrames }) => sum + evictableFrames, 0),
      evictColdest: () => this.evictColdest(own()),
    };
  }

  /** @returns the frames freed; 0 when none is cold */
  evictColdest(except: IndexMemoryUse | null = null): number {
    const [coldest] = this.#coldOnes(except).toSorted((a, b) => a.lastUsed - b.lastUsed);
    if (coldest === undefined) return 0;
    const { evictableFrames } = coldest;
    this.#options.onLeft(coldest.empty());
    return evictableFrames;
  }

  #coldOnes(except: IndexMemoryUse | null): readonly IndexMemoryUse[] {
    const { indexes, coldAfterSeconds } = this.#options;
    const coldUntil = Date.now() / 1_000 - coldAfterSeconds;
    return [...indexes()].filter(
      (each) => each !== except && each.evictableFrames > 0 && each.lastUsed <= coldUntil,
    );
  }
}
