// How much room a segment's graph still needs, and whoever searches and builds it: what is kept for it in the arena.

import { binaryCodeFrames, clusterCount } from '../ann/cluster-sizing.ts';
import { clusterFrames, framesForGraph, type GraphMemory, graphTableFrames } from '../ann/graph-memory.ts';
import { rowsPerFrame } from '../kernels/layout.ts';
import { framesInTable } from '../memory/address-table.ts';
import type { Reservation } from '../memory/allocator.ts';
import { FRAME_BYTES } from '../memory/arena.ts';

/** Blocks, of headers and of links between samples, fill their frames but in part. */
const HEADER_FRAMES = 1;
const BLOCK_FRAMES = 1;

/** What the room depends on. */
export interface ReservationOptions {
  readonly slots: number;
  /** With fewer slots there is no graph. */
  readonly graphSlotsMin: number;
  /** Frames of working space for all readers and builders. */
  readonly scratch: number;
  readonly dimension: number | null;
}

/** What a segment is to be promised beyond what its graph has already. */
export function reservationFor(
  { slots, graphSlotsMin, scratch, dimension }: ReservationOptions,
  graph: Pick<GraphMemory, 'frames' | 'tableFrames'> | null,
): Reservation {
  if (dimension === null || slots < graphSlotsMin) return { frames: 0, ungrown: 0, scratch };
  // New regions are chosen while walks still begin by the old ones.
  const wanted = framesForGraph(slots, dimension) + clusterFrames(slots, dimension);
  const codeTable = framesInTable(Math.ceil(slots / rowsPerFrame(dimension)));
  // A repair works on a copy of the live bits.
  const liveBits = Math.ceil(slots / 8 / FRAME_BYTES);
  return {
    frames: framesMissing(wanted, graph),
    ungrown: Math.max(0, graphTableFrames(slots) + codeTable - (graph?.tableFrames ?? 0)) + liveBits,
    scratch,
  };
}

/** Frames that a segment takes, and is to be promised, whose file has so many bytes, with so many slots in the graph. */
export function framesToRestore(fileBytes: number, graphSlots: number, facts: ReservationOptions): number {
  const { dimension } = facts;
  const graph = { frames: dimension === null ? 0 : framesInFile(graphSlots, dimension), tableFrames: 0 };
  const { frames, ungrown, scratch } = reservationFor(facts, graph);
  return Math.ceil(fileBytes / FRAME_BYTES) + frames + ungrown + scratch;
}

/** Frames of a graph that its file holds: not those of the sketches, which are made anew. */
function framesInFile(graphSlots: number, dimension: number): number {
  const sketches = binaryCodeFrames(clusterCount(graphSlots), graphSlots, dimension);
  return framesForGraph(graphSlots, dimension) - sketches;
}

function framesMissing(wanted: number, graph: Pick<GraphMemory, 'frames'> | null): number {
  if (graph === null) return wanted + BLOCK_FRAMES + HEADER_FRAMES;
  return wanted <= graph.frames ? 0 : wanted - graph.frames + BLOCK_FRAMES;
}
