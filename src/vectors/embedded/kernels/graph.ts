// Binds the kernel's graph functions, and lays out the room they work in.
import type { GraphKernel, GraphScratch } from './graph-interface.ts';
import type { Address } from './kernel-interface.ts';
import {
  BEAM_ENTRY_BYTES,
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CODE_FRAMES,
  GRAPH_NODE_FRAMES,
  LINKS_BOUND,
  METRIC_NUMBERS,
  NODE_ALIGN_BYTES,
  NODE_HEADER_BYTES,
  WALK_DISTANCES,
  WALK_FIXED_BYTES,
  WALK_NODES,
} from './layout.ts';

export type * from './graph-interface.ts';

/** The graph's exports, in the order of their arguments in assembly/. */
export interface GraphExports {
  initGraph(
    graph: Address,
    dim: number,
    metric: number,
    codeFrames: Address,
    nodeFrames: Address,
    linksMax: number,
    linksKept: number,
    alpha: number,
  ): void;
  insertNode(
    graph: Address,
    slot: number,
    slotLimit: number,
    breadth: number,
    scratch: Address,
    places: number,
  ): number;
  searchGraph(
    graph: Address,
    query: Address,
    bitmap: Address,
    slotLimit: number,
    keep: number,
    ties: number,
    settledPlaces: number,
    settledFor: number,
    scratch: Address,
    places: number,
  ): number;
  bridgeRemoved(
    graph: Address,
    live: Address,
    from: number,
    until: number,
    slotLimit: number,
    scratch: Address,
  ): number;
  dropRemoved(
    graph: Address,
    live: Address,
    slotLimit: number,
    breadth: number,
    scratch: Address,
    places: number,
  ): number;
}

const NEVER = { settled: 0, patience: 0 };

/** Nodes in a frame of them. */
export function nodesPerFrame(linksMax: number): number {
  return Math.floor(FRAME_BYTES / nodeBytes(linksMax));
}

/** Bytes of a node: its header and links. */
export function nodeBytes(linksMax: number): number {
  return Math.ceil((NODE_HEADER_BYTES + 4 * linksMax) / NODE_ALIGN_BYTES) * NODE_ALIGN_BYTES;
}

/** Bytes of a scratch for beams of `places` over `slots` slots; `dropRemoved` needs more than the others. */
export function graphScratchBytes(room: {
  readonly places: number;
  readonly slots: number;
  readonly forRemoval: boolean;
}): number {
  const bitmap = 4 * Math.ceil(room.slots / 32);
  const walk = WALK_FIXED_BYTES + BEAM_ENTRY_BYTES * (room.places + 1) + bitmap;
  return walk + (room.forRemoval ? bitmap + 4 * room.slots : 0);
}

export function bindGraph(memory: WebAssembly.Memory, raw: GraphExports): GraphKernel {
  return {
    create: (graph, shape) => {
      const { linksMax, linksKept } = shape;
      if (linksMax < 2 || linksMax > LINKS_BOUND || linksKept > linksMax || linksKept < linksMax / 2)
        throw new RangeError(`no graph keeps ${linksKept} of ${linksMax} links`);
      const metric = METRIC_NUMBERS[shape.metric];
      const { codeFrames, nodeFrames } = shape;
      raw.initGraph(graph, shape.dim, metric, codeFrames, nodeFrames, linksMax, linksKept, shape.alpha);
    },
    moveFrames: (graph, { codeFrames, nodeFrames }) => {
      const words = new Uint32Array(memory.buffer, graph, GRAPH_BYTES / 4);
      Atomics.store(words, GRAPH_CODE_FRAMES / 4, codeFrames);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, nodeFrames);
    },
    insert: ({ graph, slot, slotLimit, breadth, scratch: { address, places } }) =>
      raw.insertNode(graph, slot, slotLimit, breadth, address, places) !== 0,
    search: ({ graph, query, bitmap, slotLimit, keep, ties, stop, scratch }) => {
      const { address, places } = scratch;
      const { settled, patience } = stop ?? NEVER;
      const count = raw.searchGraph(
        graph,
        query,
        bitmap,
        slotLimit,
        keep,
        ties,
        settled,
        patience,
        address,
        places,
      );
      return count < 0 ? null : { count, ...readCounters(memory, scratch) };
    },
    bridgeRemoved: ({ graph, live, from, until, slotLimit, scratch: { address } }) =>
      raw.bridgeRemoved(graph, live, from, until, slotLimit, address),
    dropRemoved: ({ graph, live, slotLimit, breadth, scratch: { address, places } }) =>
      raw.dropRemoved(graph, live, slotLimit, breadth, address, places),
  };
}

function readCounters(
  memory: WebAssembly.Memory,
  { address }: GraphScratch,
): { readonly entries: Address; readonly nodes: number; readonly distances: number } {
  const view = new DataView(memory.buffer, address);
  return {
    entries: address + WALK_FIXED_BYTES,
    nodes: view.getUint32(WALK_NODES, true),
    distances: view.getUint32(WALK_DISTANCES, true),
  };
}
