// The graph of a segment, which comes and goes with the segment's size, and the memory that is reserved for it.
import { GraphMemory, isSameShape, type SavedGraph } from '../ann/graph-memory.ts';
import { ArenaFull, type Reservation } from '../memory/allocator.ts';
import type { Part } from '../storage/derived-files/parts.ts';
import { reservationFor } from './graph-reservation.ts';
import type { SegmentContext } from './segment-context.ts';
import type { SegmentData } from './segment-data.ts';
import type { SegmentHeader } from './segment-header.ts';

/** Slots that memory is reserved for at a time. */
const RESERVED_SLOTS = 256;

export class GraphIndex {
  readonly #context: SegmentContext;
  readonly #data: SegmentData;
  readonly #header: SegmentHeader;
  #graph: GraphMemory | null = null;
  #tombstones = 0;
  /** The graph can grow to so many slots, whatever others allocate. */
  #reservedSlots = 0;

  constructor(context: SegmentContext, data: SegmentData, header: SegmentHeader) {
    this.#context = context;
    this.#data = data;
    this.#header = header;
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
    if (dimension === null) throw new Error('a sparse index has no graphs');
    const graph = this.#context.allocator.withReserved(
      () => new GraphMemory({ ...this.#context, dimension }),
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
    this.updateReservation();
  }

  /** Allocates nodes for the slots below `slotLimit`. No job may be running on the graph. @throws ArenaFull */
  extend(slotLimit: number): void {
    try {
      this.#context.allocator.withReserved(() => this.#graph?.reach(slotLimit, this.#data.codeFrames));
    } finally {
      this.updateReservation();
    }
  }

  /** Shows readers how far the graph is complete. */
  publish(): void {
    this.#header.beginChange();
    this.#header.setGraph(this.#graph);
    this.#header.endChange();
  }

  /** Subtracts the tombstones that a consolidation removed. */
  consolidated(removed: number): void {
    this.#tombstones -= removed;
  }

  /** Makes sure that slot number `slot` will find memory in the graph. @throws ArenaFull */
  ensureReserved(slot: number): void {
    if (slot >= this.#reservedSlots && !this.reserve(slot + RESERVED_SLOTS)) throw new ArenaFull();
  }

  /**
   * Reserves memory for the graph of so many slots, and for the threads that search and build it.
   * @returns false when there is too little
   */
  reserve(slots: number): boolean {
    const isReserved = this.#context.allocator.reserve(this, this.#reservationFor(slots));
    if (isReserved) this.#reservedSlots = slots;
    return isReserved;
  }

  /** Reserves what the graph still lacks, after it has allocated or freed memory. */
  updateReservation(): void {
    this.#context.allocator.forceReserve(this, this.#reservationFor(this.#reservedSlots));
  }

  /**
   * Allocates a saved graph. Fill the parts, then call `finish`; `isComplete` is false when they could not be filled.
   * @returns null when there is no graph, or one of another shape. @throws ArenaFull
   */
  restore(saved: SavedGraph | null): {
    readonly parts: readonly Part[];
    finish(isComplete: boolean, tombstones: number): void;
  } | null {
    if (saved === null || !isSameShape(saved)) return null;
    const { allocator } = this.#context;
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
        this.updateReservation();
      },
    };
  }

  /** Frees the graph and its reservation. Readers must have been told before. */
  release(): void {
    this.#graph?.release();
    this.#context.allocator.unreserve(this);
  }

  #reservationFor(slots: number): Reservation {
    const { dimension, graphSlotsMin, scratchFrames } = this.#context;
    const scratch = scratchFrames(slots, this.#data.hasSparse);
    return reservationFor({ slots, graphSlotsMin, scratch, dimension }, this.#graph);
  }
}
