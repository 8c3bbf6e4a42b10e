// Binds the kernel's graph functions, and lays out the room they work in.
import type { GraphFindings, GraphKernel, GraphScratch } from './graph-interface.ts';
import type { Address } from './kernel-interface.ts';
import {
  BEAM_ENTRY_BYTES,
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CODE_FRAMES,
  GRAPH_NODE_FRAMES,
  GRAPH_REGIONS,
  LINKS_BOUND,
  METRIC_NUMBERS,
  NODE_ALIGN_BYTES,
  NODE_HEADER_BYTES,
  REGION_LINKS,
  WALK_DISTANCES,
  WALK_FIXED_BYTES,
  WALK_IS_CUT,
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
  initRegions(
    regions: Address,
    graph: Address,
    count: number,
    codeFrames: Address,
    linkBlocks: Address,
    sketchFrames: Address,
    sketchBits: number,
  ): void;
  sketchCentres(regions: Address): void;
  sketchSamples(graph: Address, regions: Address, from: number, until: number): void;
  assignSamples(
    graph: Address,
    regions: Address,
    from: number,
    until: number,
    to: Address,
    scratch: Address,
  ): void;
  linkSamples(regions: Address, from: number, until: number, assigned: Address): void;
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
    settledRare: number,
    patienceRare: number,
    look: number,
    usual: number,
    cutBelow: number,
    passFrom: number,
    enough: number,
    tryFrom: number,
    tryDepth: number,
    tryFront: number,
    many: number,
    cutsMany: boolean,
    scratch: Address,
    places: number,
    candidates: number,
  ): number;
  faintnessOf(graph: Address, query: Address, slot: number, key: number, scratch: Address): number;
  boundFindings(graph: Address, query: Address, entries: Address, count: number, sparseScores: Address): void;
  scanGraph(
    graph: Address,
    query: Address,
    bitmap: Address,
    slotLimit: number,
    sparseScores: Address,
    heap: Address,
    scratch: Address,
  ): void;
  bridgeRemoved(
    graph: Address,
    live: Address,
    from: number,
    until: number,
    slotLimit: number,
    breadth: number,
    scratch: Address,
    places: number,
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
const ALWAYS_PASS = { look: 0, usual: 0, stopRare: null, passFrom: 0, cutBelow: 0, enough: 0, first: null };
const NO_TRY = { from: 0, depth: 0, front: 0, many: 0, isScan: false };

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
  // Kept, for asking a memory for its buffer takes longer than reading from it.
  let words = new Uint32Array(memory.buffer);
  const wordsUpTo = (end: Address): Uint32Array => {
    if (words.byteLength < end) words = new Uint32Array(memory.buffer);
    return words;
  };
  return {
    create: (graph, shape) => {
      const { linksMax, linksKept } = shape;
      if (linksMax < 2 || linksMax > LINKS_BOUND || linksKept > linksMax || linksKept < linksMax / 2)
        throw new RangeError(`no graph keeps ${linksKept} of ${linksMax} links`);
      const metric = METRIC_NUMBERS[shape.metric];
      const { dim, codeFrames, nodeFrames, alpha } = shape;
      raw.initGraph(graph, dim, metric, codeFrames, nodeFrames, linksMax, linksKept, alpha);
    },
    moveFrames: (graph, { codeFrames, nodeFrames }) => {
      const words = new Uint32Array(memory.buffer, graph, GRAPH_BYTES / 4);
      Atomics.store(words, GRAPH_CODE_FRAMES / 4, codeFrames);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, nodeFrames);
    },
    createRegions: ({ graph, regions, count, codeFrames, linkBlocks, sketchFrames, sketchBits }) =>
      raw.initRegions(regions, graph, count, codeFrames, linkBlocks, sketchFrames, sketchBits),
    moveRegions: (regions, { linkBlocks, sketchFrames }) => {
      const words = new Uint32Array(memory.buffer, regions, GRAPH_BYTES / 4);
      Atomics.store(words, REGION_LINKS / 4, linkBlocks);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, sketchFrames);
    },
    sketchCentres: (regions) => raw.sketchCentres(regions),
    sketchSamples: ({ graph, regions, from, until }) => raw.sketchSamples(graph, regions, from, until),
    assignSamples: ({ graph, regions, from, until, to, scratch }) =>
      raw.assignSamples(graph, regions, from, until, to, scratch),
    linkSamples: ({ regions, from, until, assigned }) => raw.linkSamples(regions, from, until, assigned),
    useRegions: (graph, regions) =>
      Atomics.store(new Uint32Array(memory.buffer, graph, GRAPH_BYTES / 4), GRAPH_REGIONS / 4, regions),
    insert: ({ graph, slot, slotLimit, breadth, scratch: { address, places } }) =>
      raw.insertNode(graph, slot, slotLimit, breadth, address, places) !== 0,
    search: ({ graph, query, bitmap, slotLimit, keep, ties, stop, crossing, candidates, scratch }) => {
      const { address, places } = scratch;
      const { settled, patience } = stop ?? NEVER;
      const { look, usual, stopRare, passFrom, cutBelow, enough, first } = crossing ?? ALWAYS_PASS;
      const rare = stopRare ?? NEVER;
      const { from, depth, front, many, isScan } = first ?? NO_TRY;
      const count = raw.searchGraph(
        graph,
        query,
        bitmap,
        slotLimit,
        keep,
        ties,
        settled,
        patience,
        rare.settled,
        rare.patience,
        look,
        usual,
        cutBelow,
        passFrom,
        enough,
        from,
        depth,
        front,
        many,
        isScan,
        address,
        places,
        candidates ?? keep,
      );
      return count < 0 ? null : findingsAt(wordsUpTo(address + WALK_FIXED_BYTES), scratch, count);
    },
    faintness: ({ graph, query, best: { slot, key }, scratch }) =>
      raw.faintnessOf(graph, query, slot, key, scratch.address),
    boundFindings: ({ graph, query, findings: { entries, count }, sparseScores }) =>
      raw.boundFindings(graph, query, entries, count, sparseScores),
    scan: ({ graph, query, bitmap, slotLimit, sparseScores, heap, scratch }) =>
      raw.scanGraph(graph, query, bitmap, slotLimit, sparseScores, heap, scratch.address),
    bridgeRemoved: ({ graph, live, from, until, slotLimit, breadth, scratch: { address, places } }) =>
      raw.bridgeRemoved(graph, live, from, until, slotLimit, breadth, address, places),
    dropRemoved: ({ graph, live, slotLimit, breadth, scratch: { address, places } }) =>
      raw.dropRemoved(graph, live, slotLimit, breadth, address, places),
  };
}

function findingsAt(words: Uint32Array, { address }: GraphScratch, count: number): GraphFindings {
  return {
    entries: address + WALK_FIXED_BYTES,
    count,
    isCut: words[(address + WALK_IS_CUT) / 4] !== 0,
    nodes: words[(address + WALK_NODES) / 4] ?? 0,
    distances: words[(address + WALK_DISTANCES) / 4] ?? 0,
  };
}
