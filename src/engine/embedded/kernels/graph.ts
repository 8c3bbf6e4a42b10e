// Binds the kernel's graph functions, and lays out the room they work in.
import type { GraphKernel, GraphResults, GraphScratch } from './graph-interface.ts';
import type { Address } from './kernel-types.ts';
import {
  BEAM_ENTRY_BYTES,
  CLUSTER_LINKS,
  FRAME_BYTES,
  GRAPH_BYTES,
  GRAPH_CLUSTERS,
  GRAPH_CODE_FRAMES,
  GRAPH_NODE_FRAMES,
  MAX_DEGREE_BOUND,
  METRIC_NUMBERS,
  NODE_ALIGN_BYTES,
  NODE_HEADER_BYTES,
  SEARCH_DISTANCES,
  SEARCH_FIXED_BYTES,
  SEARCH_IS_ABANDONED,
  SEARCH_NODES,
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
    maxDegree: number,
    prunedDegree: number,
    alpha: number,
  ): void;
  initClusters(
    clusters: Address,
    graph: Address,
    count: number,
    codeFrames: Address,
    linkBlocks: Address,
    binaryCodeFrames: Address,
    binaryCodeBits: number,
  ): void;
  binarizeCentroids(clusters: Address): void;
  binarizeSamples(graph: Address, clusters: Address, from: number, until: number): void;
  assignSamples(
    graph: Address,
    clusters: Address,
    from: number,
    until: number,
    to: Address,
    scratch: Address,
  ): void;
  linkSamples(clusters: Address, from: number, until: number, assigned: Address): void;
  insertNode(
    graph: Address,
    slot: number,
    slotLimit: number,
    efConstruction: number,
    scratch: Address,
    beamCapacity: number,
  ): number;
  searchGraph(
    graph: Address,
    query: Address,
    bitmap: Address,
    slotLimit: number,
    ef: number,
    ties: number,
    stableResults: number,
    patience: number,
    stableAtNone: number,
    patienceAtNone: number,
    localNodes: number,
    selectivity: number,
    abandonBelow: number,
    passThroughMin: number,
    expansionMax: number,
    preliminaryMin: number,
    preliminaryDepth: number,
    preliminaryRank: number,
    crowdMin: number,
    abandonsCrowded: boolean,
    scratch: Address,
    beamCapacity: number,
    candidates: number,
  ): number;
  outOfDistributionRatio(graph: Address, query: Address, slot: number, key: number, scratch: Address): number;
  boundResults(graph: Address, query: Address, entries: Address, count: number, sparseScores: Address): void;
  scanGraph(
    graph: Address,
    query: Address,
    bitmap: Address,
    slotLimit: number,
    sparseScores: Address,
    heap: Address,
    scratch: Address,
  ): void;
  consolidateDeletes(
    graph: Address,
    live: Address,
    from: number,
    until: number,
    slotLimit: number,
    efConstruction: number,
    scratch: Address,
    beamCapacity: number,
  ): number;
  dropDeleted(
    graph: Address,
    live: Address,
    slotLimit: number,
    efConstruction: number,
    scratch: Address,
    beamCapacity: number,
  ): number;
}

const NEVER = { stableResults: 0, patience: 0 };
const ALWAYS_PASS = {
  localNodes: 0,
  selectivity: 0,
  terminationAtNone: null,
  passThroughMin: 0,
  abandonBelow: 0,
  expansionMax: 0,
  preliminary: null,
};
const NO_PRELIMINARY = { matchesMin: 0, depth: 0, rank: 0, crowdMin: 0, abandonsCrowded: false };

/** Nodes in a frame of them. */
export function nodesPerFrame(maxDegree: number): number {
  return Math.floor(FRAME_BYTES / nodeBytes(maxDegree));
}

/** Bytes of a node: its header and links. */
export function nodeBytes(maxDegree: number): number {
  return Math.ceil((NODE_HEADER_BYTES + 4 * maxDegree) / NODE_ALIGN_BYTES) * NODE_ALIGN_BYTES;
}

/** Bytes of a scratch for beams of `beamCapacity` over `slots` slots; `dropDeleted` needs more than the others. */
export function graphScratchBytes(room: {
  readonly beamCapacity: number;
  readonly slots: number;
  readonly forRemoval: boolean;
}): number {
  const bitmap = 4 * Math.ceil(room.slots / 32);
  const searchGraph = SEARCH_FIXED_BYTES + BEAM_ENTRY_BYTES * (room.beamCapacity + 1) + bitmap;
  return searchGraph + (room.forRemoval ? bitmap + 4 * room.slots : 0);
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
      const { maxDegree, prunedDegree } = shape;
      if (
        maxDegree < 2 ||
        maxDegree > MAX_DEGREE_BOUND ||
        prunedDegree > maxDegree ||
        prunedDegree < maxDegree / 2
      )
        throw new RangeError(`no graph keeps ${prunedDegree} of ${maxDegree} links`);
      const metric = METRIC_NUMBERS[shape.metric];
      const { dim, codeFrames, nodeFrames, alpha } = shape;
      raw.initGraph(graph, dim, metric, codeFrames, nodeFrames, maxDegree, prunedDegree, alpha);
    },
    moveFrames: (graph, { codeFrames, nodeFrames }) => {
      const words = new Uint32Array(memory.buffer, graph, GRAPH_BYTES / 4);
      Atomics.store(words, GRAPH_CODE_FRAMES / 4, codeFrames);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, nodeFrames);
    },
    createClusters: ({ graph, clusters, count, codeFrames, linkBlocks, binaryCodeFrames, binaryCodeBits }) =>
      raw.initClusters(clusters, graph, count, codeFrames, linkBlocks, binaryCodeFrames, binaryCodeBits),
    moveClusters: (clusters, { linkBlocks, binaryCodeFrames }) => {
      const words = new Uint32Array(memory.buffer, clusters, GRAPH_BYTES / 4);
      Atomics.store(words, CLUSTER_LINKS / 4, linkBlocks);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, binaryCodeFrames);
    },
    binarizeCentroids: (clusters) => raw.binarizeCentroids(clusters),
    binarizeSamples: ({ graph, clusters, from, until }) => raw.binarizeSamples(graph, clusters, from, until),
    assignSamples: ({ graph, clusters, from, until, to, scratch }) =>
      raw.assignSamples(graph, clusters, from, until, to, scratch),
    linkSamples: ({ clusters, from, until, assigned }) => raw.linkSamples(clusters, from, until, assigned),
    useClusters: (graph, clusters) =>
      Atomics.store(new Uint32Array(memory.buffer, graph, GRAPH_BYTES / 4), GRAPH_CLUSTERS / 4, clusters),
    insert: ({ graph, slot, slotLimit, efConstruction, scratch: { address, beamCapacity } }) =>
      raw.insertNode(graph, slot, slotLimit, efConstruction, address, beamCapacity) !== 0,
    search: ({ graph, query, bitmap, slotLimit, ef, ties, termination, filtered, candidates, scratch }) => {
      const { address, beamCapacity } = scratch;
      const { stableResults, patience } = termination ?? NEVER;
      const {
        localNodes,
        selectivity,
        terminationAtNone,
        passThroughMin,
        abandonBelow,
        expansionMax,
        preliminary,
      } = filtered ?? ALWAYS_PASS;
      const rare = terminationAtNone ?? NEVER;
      const { matchesMin, depth, rank, crowdMin, abandonsCrowded } = preliminary ?? NO_PRELIMINARY;
      const count = raw.searchGraph(
        graph,
        query,
        bitmap,
        slotLimit,
        ef,
        ties,
        stableResults,
        patience,
        rare.stableResults,
        rare.patience,
        localNodes,
        selectivity,
        abandonBelow,
        passThroughMin,
        expansionMax,
        matchesMin,
        depth,
        rank,
        crowdMin,
        abandonsCrowded,
        address,
        beamCapacity,
        candidates ?? ef,
      );
      return count < 0 ? null : findingsAt(wordsUpTo(address + SEARCH_FIXED_BYTES), scratch, count);
    },
    outOfDistributionRatio: ({ graph, query, result: { slot, key }, scratch }) =>
      raw.outOfDistributionRatio(graph, query, slot, key, scratch.address),
    boundResults: ({ graph, query, results: { entries, count }, sparseScores }) =>
      raw.boundResults(graph, query, entries, count, sparseScores),
    scan: ({ graph, query, bitmap, slotLimit, sparseScores, heap, scratch }) =>
      raw.scanGraph(graph, query, bitmap, slotLimit, sparseScores, heap, scratch.address),
    consolidateDeletes: ({
      graph,
      live,
      from,
      until,
      slotLimit,
      efConstruction,
      scratch: { address, beamCapacity },
    }) => raw.consolidateDeletes(graph, live, from, until, slotLimit, efConstruction, address, beamCapacity),
    dropDeleted: ({ graph, live, slotLimit, efConstruction, scratch: { address, beamCapacity } }) =>
      raw.dropDeleted(graph, live, slotLimit, efConstruction, address, beamCapacity),
  };
}

function findingsAt(words: Uint32Array, { address }: GraphScratch, count: number): GraphResults {
  return {
    entries: address + SEARCH_FIXED_BYTES,
    count,
    isAbandoned: words[(address + SEARCH_IS_ABANDONED) / 4] !== 0,
    nodes: words[(address + SEARCH_NODES) / 4] ?? 0,
    distances: words[(address + SEARCH_DISTANCES) / 4] ?? 0,
  };
}
