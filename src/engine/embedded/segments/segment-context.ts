// The arena that a segment lies in, with all that writing a segment there needs.
import type { SearchedIndex } from '../../../domain/full-text/searched-texts.ts';
import type { Metric } from '../../../domain/index-model.ts';
import type { Kernel } from '../kernels/kernel.ts';
import type { Allocator } from '../memory/allocator.ts';
import type { Arena } from '../memory/arena.ts';

export interface SegmentContext extends SearchedIndex {
  /** The arena's number, by which readers know it. */
  readonly number: number;
  readonly arena: Arena;
  readonly allocator: Allocator;
  readonly kernel: Kernel;
  /** Null on sparse indexes. */
  readonly dimension: number | null;
  readonly metric: Metric;
  /** Address of scratch memory for one float row, the writer's own. */
  readonly rowScratch: number;
  /** Secret of the filter columns' hashes; readers need the same. */
  readonly columnSeed: number;
  /** True where codes of rows need not stay in memory: nodes of graphs have binary codes of their own. */
  readonly hasNodeCodes: boolean;
  /** Segments with fewer slots have no graph. */
  readonly graphSlotsMin: number;
  /** Frames of scratch memory for all threads that search or build a segment of so many slots. */
  readonly scratchFrames: (slots: number, hasSparse: boolean) => number;
}
