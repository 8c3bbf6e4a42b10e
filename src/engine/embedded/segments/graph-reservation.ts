// How much memory of its arena a segment reserves: for the growth of its graph, and for searching and building it.
import { binaryCodeFrames, clusterCount } from '../ann/cluster-sizing.ts';
import { clusterFrames, framesForGraph, type GraphMemory, graphTableFrames } from '../ann/graph-memory.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { framesInTable } from '../memory/address-table.ts';
import type { Reservation } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';

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
}

/** What a segment reserves beyond what its graph has allocated. */
export function reservationFor(
  { slots, graphSlotsMin, scratch, dimension }: ReservationOptions,
  graph: Pick<GraphMemory, 'frames' | 'tableFrames'> | null,
): Reservation {
  if (dimension === null || slots < graphSlotsMin) return { frames: 0, ungrown: 0, scratch };
  // New clusters are trained while searches still use the old ones.
  const framesNeeded = framesForGraph(slots, dimension) + clusterFrames(slots, dimension);
  const codeTable = framesInTable(Math.ceil(slots / rowsPerFrame(dimension)));
  // A consolidation works on a copy of the live bits.
  const liveBits = Math.ceil(slots / 8 / FRAME_BYTES);
  return {
    frames: framesMissing(framesNeeded, graph),
    ungrown: Math.max(0, graphTableFrames(slots) + codeTable - (graph?.tableFrames ?? 0)) + liveBits,
    scratch,
  };
}

/** Frames that a segment allocates and reserves when it is restored from a file of so many bytes. */
export function framesToRestore(fileBytes: number, graphSlots: number, options: ReservationOptions): number {
  const { dimension } = options;
  const graph = { frames: dimension === null ? 0 : framesInFile(graphSlots, dimension), tableFrames: 0 };
  const { frames, ungrown, scratch } = reservationFor(options, graph);
  return Math.ceil(fileBytes / FRAME_BYTES) + frames + ungrown + scratch;
}

/** Frames of a graph that its file holds: not those of the binary codes, which are computed again. */
function framesInFile(graphSlots: number, dimension: number): number {
  const binaryCodes = binaryCodeFrames(clusterCount(graphSlots), graphSlots, dimension);
  return framesForGraph(graphSlots, dimension) - binaryCodes;
}

function framesMissing(framesNeeded: number, graph: Pick<GraphMemory, 'frames'> | null): number {
  if (graph === null) return framesNeeded + BLOCK_FRAMES + HEADER_FRAMES;
  return framesNeeded <= graph.frames ? 0 : framesNeeded - graph.frames + BLOCK_FRAMES;
}
