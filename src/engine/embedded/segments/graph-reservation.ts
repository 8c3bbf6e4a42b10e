// How much memory of its arena a segment reserves: for the growth of its graph, and for searching and building it.
import { BINARY_CODES } from '../ann/cluster-memory.ts';
import { binaryCodeFrames, clusterCount } from '../ann/cluster-sizing.ts';
import {
  clusterFrames,
  framesForGraph,
  type GraphMemory,
  graphTableFrames,
  type NodeShape,
} from '../ann/graph-memory.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { framesInTable } from '../memory/address-table.ts';
import { ArenaFull, type MemoryNeed } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';
import { NOTHING, type Reservation } from '../memory/reservations.ts';
import { type StoredPart, sizeOf } from '../storage/derived-files/parts.ts';
import { CODES } from './saved-segment.ts';
import type { SegmentContext } from './segment-context.ts';

/** Slots that memory is reserved for at a time. */
const RESERVED_SLOTS = 256;
/** Blocks, those of headers and of samples, fill their frames only in part. */
const HEADER_FRAMES = 1;
const BLOCK_FRAMES = 1;

/** What a reservation depends on. */
export interface ReservationOptions {
  readonly slots: number;
  /** With fewer slots there is no graph. */
  readonly graphSlotsMin: number;
  /** Frames of scratch memory for all readers and builders. */
  readonly scratch: number;
  readonly dimension: number | null;
  readonly hasNodeCodes: boolean;
}

/** The parts of a segment that change what it must reserve. */
export interface ReservedSegment {
  readonly graph: () => GraphMemory | null;
  readonly hasSparse: () => boolean;
}

/** The memory that is reserved for the graph of a segment, and for the threads that search and build it. */
export class GraphReservation {
  readonly #context: SegmentContext;
  readonly #segment: ReservedSegment;
  /** The graph can grow to so many slots, whatever others allocate. */
  #slots = 0;
  /** False where threads have only the scratch memory that the arena keeps for all. */
  #hasScratch = true;

  constructor(context: SegmentContext, segment: ReservedSegment) {
    this.#context = context;
    this.#segment = segment;
    // From now on, the arena is in use.
    context.allocator.reservations.set(this, NOTHING);
  }

  /** Makes sure that slot number `slot` will find memory in the graph. @throws ArenaFull */
  ensure(slot: number): void {
    if (slot >= this.#slots && !this.reserve(slot + RESERVED_SLOTS)) throw new ArenaFull();
  }

  /** Reserves memory for the graph of so many slots. @returns false, and changes nothing, when there is too little */
  reserve(slots: number): boolean {
    return this.#reserve(slots, true);
  }

  /**
   * As `reserve`, for slots that are there already. Where threads may want more scratch memory than when they were written,
   * since there are more of them, these share what there is, and new slots find no room here.
   */
  restore(slots: number): boolean {
    return this.#reserve(slots, true) || this.#reserve(slots, false);
  }

  #reserve(slots: number, hasScratch: boolean): boolean {
    if (!this.#context.allocator.reserve(this, this.#reservationFor(slots, hasScratch))) return false;
    this.#slots = slots;
    this.#hasScratch = hasScratch;
    return true;
  }

  /** Reserves what the graph still lacks, after it has allocated or freed memory. */
  update(): void {
    this.#context.allocator.reservations.set(this, this.#reservationFor(this.#slots, this.#hasScratch));
  }

  release(): void {
    this.#context.allocator.reservations.set(this, null);
  }

  #reservationFor(slots: number, hasScratch: boolean): Reservation {
    const { dimension, graphSlotsMin, hasNodeCodes, scratchFrames } = this.#context;
    const scratch = hasScratch ? scratchFrames(slots, this.#segment.hasSparse()) : 0;
    return reservationFor({ slots, graphSlotsMin, scratch, dimension, hasNodeCodes }, this.#segment.graph());
  }
}

/** What a segment reserves beyond what its graph has allocated. */
export function reservationFor(
  { slots, graphSlotsMin, scratch, dimension, hasNodeCodes }: ReservationOptions,
  graph: Pick<GraphMemory, 'frames' | 'tableFrames'> | null,
): Reservation {
  if (dimension === null || slots < graphSlotsMin) return { frames: 0, ungrown: 0, scratch };
  // New clusters are trained while searches still use the old ones.
  const framesNeeded = framesForGraph(slots, { dimension, hasNodeCodes }) + clusterFrames(slots, dimension);
  const codeTable = framesInTable(Math.ceil(slots / rowsPerFrame(dimension)));
  // A consolidation works on a copy of the live bits.
  const liveBits = Math.ceil(slots / 8 / FRAME_BYTES);
  return {
    frames: framesMissing(framesNeeded, graph),
    ungrown:
      Math.max(
        0,
        graphTableFrames(slots, { dimension, hasNodeCodes }) + codeTable - (graph?.tableFrames ?? 0),
      ) + liveBits,
    scratch,
  };
}

/**
 * What a segment allocates and reserves when it is restored from a file with these parts.
 * @param graphSlots of the graph that the parts include
 */
export function needToRestore(
  parts: readonly StoredPart[],
  graphSlots: number,
  options: ReservationOptions,
): MemoryNeed {
  const { dimension, hasNodeCodes } = options;
  const hasBinaryCodes = parts.some(({ name }) => name === BINARY_CODES);
  const shape = dimension === null ? null : { dimension, hasNodeCodes, hasBinaryCodes };
  const graphFrames = shape === null ? 0 : framesInFile(graphSlots, shape);
  const reservation = reservationFor(options, { frames: graphFrames, tableFrames: 0 });
  // Files compress some parts: what they take in memory counts.
  const framesOf = (some: readonly StoredPart[]) =>
    Math.ceil(some.reduce((sum, part) => sum + sizeOf(part), 0) / FRAME_BYTES);
  const inFile = parts.filter(({ name }) => hasNodeCodes && name === CODES);
  const inMemory = parts.filter((part) => !inFile.includes(part));
  return { ...reservation, frames: reservation.frames + framesOf(inMemory), inFile: framesOf(inFile) };
}

/** Frames of a graph that its file holds: files of earlier releases lack the binary codes, which are computed again. */
function framesInFile(
  graphSlots: number,
  { hasBinaryCodes, ...shape }: NodeShape & { readonly hasBinaryCodes: boolean },
): number {
  const frames = framesForGraph(graphSlots, shape);
  return hasBinaryCodes
    ? frames
    : frames - binaryCodeFrames(clusterCount(graphSlots), graphSlots, shape.dimension);
}

function framesMissing(framesNeeded: number, graph: Pick<GraphMemory, 'frames'> | null): number {
  if (graph === null) return framesNeeded + BLOCK_FRAMES + HEADER_FRAMES;
  return framesNeeded <= graph.frames ? 0 : framesNeeded - graph.frames + BLOCK_FRAMES;
}
