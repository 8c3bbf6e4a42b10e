// The graph of a segment, which comes and goes with the segment's size, and the memory that is reserved for it.
import { GraphMemory, isSameShape, type SavedGraph } from '../ann/graph-memory.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { GraphReservation } from './graph-reservation.ts';
import type { SegmentContext } from './segment-context.ts';
import type { SegmentData } from './segment-data.ts';
import type { SegmentHeader } from './segment-header.ts';

export class GraphIndex {
  readonly reservation: GraphReservation;
  readonly #context: SegmentContext;
  readonly #data: SegmentData;
  readonly #header: SegmentHeader;
  #graph: GraphMemory | null = null;
  #tombstones = 0;

  constructor(context: SegmentContext, data: SegmentData, header: SegmentHeader) {
    this.#context = context;
    this.#data = data;
    this.#header = header;
    this.reservation = new GraphReservation(context, {
      graph: () => this.#graph,
      hasSparse: () => data.hasSparse,
    });
  }

  /** Null while all slots are scanned. */
  get graph(): GraphMemory | null {
    return this.#graph;
  }

  /** Nodes that were deleted since the last consolidation. */
  get tombstones(): number {
    return this.#tombstones;
  }

  /** Counts a deleted slot if it is a node of the graph. */
  markDeleted(slot: number): void {
    if (slot < (this.#graph?.begun ?? 0)) this.#tombstones++;
  }

  /** Creates an empty graph; readers go on scanning until slots are in it. @throws ArenaFull */
  start(): GraphMemory {
    const { dimension } = this.#context;
    const { codes } = this.#data;
    if (dimension === null || codes === null) throw new Error('a sparse index has no graphs');
    const graph = this.#context.allocator.withReserved(
      () => new GraphMemory({ ...this.#context, dimension, metric: codes.space.metric }),
    );
    this.#graph = graph;
    this.#tombstones = 0;
    return graph;
  }

  /** Removes the graph: all slots are scanned again. No job may be running on it. */
  drop(): void {
    const graph = this.#graph;
    if (graph === null) return;
    this.#graph = null;
    this.#tombstones = 0;
    this.publish();
    graph.release();
    this.reservation.update();
  }

  /** Allocates nodes for the slots below `slotLimit`. No job may be running on the graph. @throws ArenaFull */
  extend(slotLimit: number): void {
    try {
      this.#context.allocator.withReserved(() => this.#graph?.reach(slotLimit, this.#data.codeFrames));
    } finally {
      this.reservation.update();
    }
  }

  /** Shows readers how far the graph is complete. */
  publish(): void {
    this.#header.beginChange();
    this.#header.setGraph(this.#graph);
    this.#header.endChange();
    this.#graph?.retireOld();
  }

  /** Subtracts the tombstones that a consolidation removed. */
  consolidated(removed: number): void {
    this.#tombstones -= removed;
  }

  /**
   * Allocates a saved graph. Fill the parts, then call `finish`; `isComplete` is false when they could not be filled.
   * @returns null when there is no graph, or one of another shape. @throws ArenaFull
   */
  restore(saved: SavedGraph | null): {
    readonly parts: readonly Part[];
    finish(isComplete: boolean, tombstones: number): void;
  } | null {
    const { allocator, dimension, hasNodeCodes } = this.#context;
    if (saved === null || dimension === null || !isSameShape(saved, { dimension, hasNodeCodes })) return null;
    const graph = this.start();
    const restored = allocator.withReserved(() => graph.restore(saved));
    return {
      parts: restored.parts,
      finish: (isComplete, tombstones) => {
        if (isComplete) {
          allocator.withReserved(() => restored.finish(this.#data.codeFrames));
          this.#tombstones = tombstones;
        } else {
          this.#graph = null;
          graph.release();
        }
        this.reservation.update();
      },
    };
  }

  /** Frees the graph and its reservation. Readers must have been notified before. */
  release(): void {
    this.#graph?.release();
    this.reservation.release();
  }
}
