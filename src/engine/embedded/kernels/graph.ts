// Binds the kernel's graph functions, and lays out the memory that they work in.
import type {
  EarlyTermination,
  GraphKernel,
  GraphResults,
  GraphScratch,
  GraphSearch,
} from './graph-interface.ts';
import type { Address } from './kernel-types.ts';
import {
  BEAM_ENTRY_BYTES,
  CLUSTER_CODE_BITS,
  CLUSTER_LINKS,
  FRAME_BYTES,
  GRAPH_ALPHA,
  GRAPH_BYTES,
  GRAPH_CENTER,
  GRAPH_CLUSTERS,
  GRAPH_CODE_FRAMES,
  GRAPH_COUNT,
  GRAPH_MAX_DEGREE,
  GRAPH_METRIC,
  GRAPH_NODE_CODE_BITS,
  GRAPH_NODE_FRAMES,
  GRAPH_PRUNED_DEGREE,
  MAX_DEGREE_BOUND,
  METRIC_NUMBERS,
  NODE_ALIGN_BYTES,
  NODE_CODE_BITS,
  NODE_HEADER_BYTES,
  SEARCH_DISTANCES,
  SEARCH_FIXED_BYTES,
  SEARCH_IS_ABANDONED,
  SEARCH_NODES,
  SEARCH_PARAMETERS,
} from './layout.ts';
import { blockWriter, f32, u32, type ViewUpTo } from './parameter-block.ts';
import * as offsets from './parameters.ts';

export type * from './graph-interface.ts';

/** The kernel's exports on graphs, in the order of their arguments in assembly/. */
export interface GraphExports {
  initGraph(graph: Address, dim: number): void;
  centerGraph(graph: Address, slotLimit: number): void;
  initClusters(clusters: Address): void;
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
  searchGraph(graph: Address, scratch: Address): number;
  reflectRow(graph: Address, query: Address, slot: number, reflection: Address): void;
  keyResults(graph: Address, query: Address, entries: Address, count: number, scratch: Address): void;
  sortResults(entries: Address, count: number): void;
  outOfDistributionRatio(graph: Address, query: Address, slot: number, key: number, scratch: Address): number;
  boundResults(graph: Address, query: Address, entries: Address, count: number, sparseScores: Address): void;
  scanGraph(graph: Address, scratch: Address): void;
  consolidateDeletes(graph: Address, scratch: Address): number;
  dropDeleted(
    graph: Address,
    live: Address,
    slotLimit: number,
    efConstruction: number,
    scratch: Address,
    beamCapacity: number,
  ): number;
}

/** What `initGraph` takes: fields of the header itself. */
const GRAPH_FIELDS = {
  metric: u32(GRAPH_METRIC),
  codeFrames: u32(GRAPH_CODE_FRAMES),
  nodeFrames: u32(GRAPH_NODE_FRAMES),
  maxDegree: u32(GRAPH_MAX_DEGREE),
  prunedDegree: u32(GRAPH_PRUNED_DEGREE),
  alpha: f32(GRAPH_ALPHA),
  nodeCodeBits: u32(GRAPH_NODE_CODE_BITS),
  center: u32(GRAPH_CENTER),
};

/** What `initClusters` takes: fields of the header, in which those of its graph are replaced. */
const CLUSTER_FIELDS = {
  codeFrames: u32(GRAPH_CODE_FRAMES),
  linkBlocks: u32(CLUSTER_LINKS),
  binaryCodeFrames: u32(GRAPH_NODE_FRAMES),
  binaryCodeBits: u32(CLUSTER_CODE_BITS),
  count: u32(GRAPH_COUNT),
  clusters: u32(GRAPH_CLUSTERS),
  nodeCodeBits: u32(GRAPH_NODE_CODE_BITS),
};

const SEARCH_FIELDS = {
  query: u32(offsets.SEARCH_BLOCK_QUERY),
  bitmap: u32(offsets.SEARCH_BLOCK_BITMAP),
  slotLimit: u32(offsets.SEARCH_BLOCK_SLOT_LIMIT),
  beamCapacity: u32(offsets.SEARCH_BLOCK_BEAM_CAPACITY),
  ef: u32(offsets.SEARCH_BLOCK_EF),
  ties: u32(offsets.SEARCH_BLOCK_TIES),
  candidates: u32(offsets.SEARCH_BLOCK_CANDIDATES),
  stableResults: u32(offsets.SEARCH_BLOCK_STABLE_RESULTS),
  patience: u32(offsets.SEARCH_BLOCK_PATIENCE),
  stableAtNone: u32(offsets.SEARCH_BLOCK_STABLE_AT_NONE),
  patienceAtNone: u32(offsets.SEARCH_BLOCK_PATIENCE_AT_NONE),
  localNodes: u32(offsets.SEARCH_BLOCK_LOCAL_NODES),
  selectivity: f32(offsets.SEARCH_BLOCK_SELECTIVITY),
  abandonBelow: u32(offsets.SEARCH_BLOCK_ABANDON_BELOW),
  passThroughMin: u32(offsets.SEARCH_BLOCK_PASS_THROUGH_MIN),
  expansionMax: u32(offsets.SEARCH_BLOCK_EXPANSION_MAX),
  preliminaryMin: u32(offsets.SEARCH_BLOCK_PRELIMINARY_MIN),
  preliminaryDepth: u32(offsets.SEARCH_BLOCK_PRELIMINARY_DEPTH),
  preliminaryRank: u32(offsets.SEARCH_BLOCK_PRELIMINARY_RANK),
  crowdMin: u32(offsets.SEARCH_BLOCK_CROWD_MIN),
  abandonsCrowded: u32(offsets.SEARCH_BLOCK_ABANDONS_CROWDED),
  slackFactor: f32(offsets.SEARCH_BLOCK_SLACK_FACTOR),
  slackRank: u32(offsets.SEARCH_BLOCK_SLACK_RANK),
  slackEf: u32(offsets.SEARCH_BLOCK_SLACK_EF),
  probes: u32(offsets.SEARCH_BLOCK_PROBES),
};

const SCAN_FIELDS = {
  query: u32(offsets.GRAPH_SCAN_QUERY),
  bitmap: u32(offsets.GRAPH_SCAN_BITMAP),
  slotLimit: u32(offsets.GRAPH_SCAN_SLOT_LIMIT),
  sparseScores: u32(offsets.GRAPH_SCAN_SPARSE_SCORES),
  heap: u32(offsets.GRAPH_SCAN_HEAP),
};

const CONSOLIDATION_FIELDS = {
  live: u32(offsets.CONSOLIDATION_LIVE),
  from: u32(offsets.CONSOLIDATION_FROM),
  until: u32(offsets.CONSOLIDATION_UNTIL),
  slotLimit: u32(offsets.CONSOLIDATION_SLOT_LIMIT),
  efConstruction: u32(offsets.CONSOLIDATION_EF_CONSTRUCTION),
  beamCapacity: u32(offsets.CONSOLIDATION_BEAM_CAPACITY),
};

const NO_TERMINATION: EarlyTermination = { stableResults: 0, patience: 0, slack: null };
const PASS_THROUGH_ALL = {
  localNodes: 0,
  selectivity: 0,
  terminationAtNone: null,
  passThroughMin: 0,
  abandonBelow: 0,
  expansionMax: 0,
  preliminary: null,
};
const NO_PRELIMINARY = { matchesMin: 0, depth: 0, rank: 0, crowdMin: 0, abandonsCrowded: false };

/** Nodes in a frame of nodes. */
export function nodesPerFrame(maxDegree: number, codeBits = 0): number {
  return Math.floor(FRAME_BYTES / nodeBytes(maxDegree, codeBits));
}

/** Bytes of a node: its header, its edges, and its binary code, if it has one. */
export function nodeBytes(maxDegree: number, codeBits = 0): number {
  const code = codeBits === 0 ? 0 : NODE_CODE_BITS + 16 * Math.ceil(codeBits / 128);
  return Math.ceil((NODE_HEADER_BYTES + 4 * maxDegree + code) / NODE_ALIGN_BYTES) * NODE_ALIGN_BYTES;
}

/** Bytes of a scratch for a beam of `beamCapacity` nodes over `slots` slots; `dropDeleted` needs more than the others. */
export function graphScratchBytes(size: {
  readonly beamCapacity: number;
  readonly slots: number;
  readonly forDeletion: boolean;
}): number {
  const bitmap = 4 * Math.ceil(size.slots / 32);
  const search = SEARCH_FIXED_BYTES + BEAM_ENTRY_BYTES * (size.beamCapacity + 1) + bitmap;
  return search + (size.forDeletion ? bitmap + 4 * size.slots : 0);
}

/** The graph functions of a kernel instance over the memory that `viewUpTo` shows. */
export function bindGraph(viewUpTo: ViewUpTo, raw: GraphExports): GraphKernel {
  const writeGraph = blockWriter(viewUpTo, GRAPH_FIELDS);
  const writeClusters = blockWriter(viewUpTo, CLUSTER_FIELDS);
  const writeSearch = blockWriter(viewUpTo, SEARCH_FIELDS);
  const writeScan = blockWriter(viewUpTo, SCAN_FIELDS);
  const writeConsolidation = blockWriter(viewUpTo, CONSOLIDATION_FIELDS);
  const header = (address: Address): Uint32Array =>
    new Uint32Array(viewUpTo(address + GRAPH_BYTES).buffer, address, GRAPH_BYTES / 4);
  return {
    create: (graph, { dim, metric, center = null, ...fields }) => {
      const { maxDegree, prunedDegree } = fields;
      if (maxDegree < 2 || maxDegree > MAX_DEGREE_BOUND)
        throw new RangeError(`maximum degree of 2 to ${MAX_DEGREE_BOUND} expected, got ${maxDegree}`);
      if (prunedDegree > maxDegree || prunedDegree < maxDegree / 2)
        throw new RangeError(
          `pruned degree of ${maxDegree / 2} to ${maxDegree} expected, got ${prunedDegree}`,
        );
      header(graph).fill(0);
      const codes = { nodeCodeBits: center === null ? 0 : dim, center: center ?? 0 };
      writeGraph(graph, { ...fields, ...codes, metric: METRIC_NUMBERS[metric] });
      raw.initGraph(graph, dim);
    },
    moveFrames: (graph, { codeFrames, nodeFrames }) => {
      const words = header(graph);
      Atomics.store(words, GRAPH_CODE_FRAMES / 4, codeFrames);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, nodeFrames);
    },
    center: (graph, slotLimit) => raw.centerGraph(graph, slotLimit),
    moveCenter: (graph, center) => Atomics.store(header(graph), GRAPH_CENTER / 4, center),
    createClusters: ({ graph, clusters, ...fields }) => {
      header(clusters).set(header(graph));
      writeClusters(clusters, { ...fields, clusters: 0, nodeCodeBits: 0 });
      raw.initClusters(clusters);
    },
    moveClusters: (clusters, { linkBlocks, binaryCodeFrames }) => {
      const words = header(clusters);
      Atomics.store(words, CLUSTER_LINKS / 4, linkBlocks);
      Atomics.store(words, GRAPH_NODE_FRAMES / 4, binaryCodeFrames);
    },
    binarizeCentroids: (clusters) => raw.binarizeCentroids(clusters),
    binarizeSamples: ({ graph, clusters, from, until }) => raw.binarizeSamples(graph, clusters, from, until),
    assignSamples: ({ graph, clusters, from, until, to, scratch }) =>
      raw.assignSamples(graph, clusters, from, until, to, scratch),
    linkSamples: ({ clusters, from, until, assigned }) => raw.linkSamples(clusters, from, until, assigned),
    useClusters: (graph, clusters) => Atomics.store(header(graph), GRAPH_CLUSTERS / 4, clusters),
    insert: ({ graph, slot, slotLimit, efConstruction, scratch: { address, beamCapacity } }) =>
      raw.insertNode(graph, slot, slotLimit, efConstruction, address, beamCapacity) !== 0,
    search: (search) => {
      const { address } = search.scratch;
      writeSearch(address + SEARCH_PARAMETERS, searchParameters(search));
      const count = raw.searchGraph(search.graph, address);
      return count < 0 ? null : resultsAt(viewUpTo(address + SEARCH_FIXED_BYTES), search.scratch, count);
    },
    outOfDistributionRatio: ({ graph, query, result: { slot, key }, scratch }) =>
      raw.outOfDistributionRatio(graph, query, slot, key, scratch.address),
    reflectRow: ({ graph, query, slot, reflection }) => raw.reflectRow(graph, query, slot, reflection),
    keyResults: ({ graph, query, results: { entries, count }, scratch }) =>
      raw.keyResults(graph, query, entries, count, scratch.address),
    sortResults: ({ entries, count }) => raw.sortResults(entries, count),
    boundResults: ({ graph, query, results: { entries, count }, sparseScores }) =>
      raw.boundResults(graph, query, entries, count, sparseScores),
    scan: ({ graph, scratch: { address }, ...parameters }) => {
      writeScan(address + SEARCH_PARAMETERS, parameters);
      raw.scanGraph(graph, address);
    },
    consolidateDeletes: ({ graph, scratch: { address, beamCapacity }, ...parameters }) => {
      writeConsolidation(address + SEARCH_PARAMETERS, { ...parameters, beamCapacity });
      return raw.consolidateDeletes(graph, address);
    },
    dropDeleted: ({ graph, live, slotLimit, efConstruction, scratch: { address, beamCapacity } }) =>
      raw.dropDeleted(graph, live, slotLimit, efConstruction, address, beamCapacity),
  };
}

function searchParameters(search: GraphSearch): Readonly<Record<keyof typeof SEARCH_FIELDS, number>> {
  const { query, bitmap, slotLimit, ef, ties, scratch } = search;
  const { stableResults, patience, slack } = search.termination ?? NO_TERMINATION;
  const filtered = search.filtered ?? PASS_THROUGH_ALL;
  const atNone = filtered.terminationAtNone ?? NO_TERMINATION;
  const preliminary = filtered.preliminary ?? NO_PRELIMINARY;
  return {
    query,
    bitmap,
    slotLimit,
    beamCapacity: scratch.beamCapacity,
    ef,
    ties,
    candidates: search.candidates ?? ef,
    stableResults,
    patience,
    stableAtNone: atNone.stableResults,
    patienceAtNone: atNone.patience,
    localNodes: filtered.localNodes,
    selectivity: filtered.selectivity,
    abandonBelow: filtered.abandonBelow,
    passThroughMin: filtered.passThroughMin,
    expansionMax: filtered.expansionMax,
    preliminaryMin: preliminary.matchesMin,
    preliminaryDepth: preliminary.depth,
    preliminaryRank: preliminary.rank,
    crowdMin: preliminary.crowdMin,
    abandonsCrowded: Number(preliminary.abandonsCrowded),
    slackFactor: slack === null ? 0 : (1 + slack.share) ** 2,
    slackRank: slack?.rank ?? 0,
    slackEf: slack?.ef ?? 0,
    probes: search.probes ?? 0,
  };
}

function resultsAt(view: DataView, { address }: GraphScratch, count: number): GraphResults {
  return {
    entries: address + SEARCH_FIXED_BYTES,
    count,
    isAbandoned: view.getUint32(address + SEARCH_IS_ABANDONED, true) !== 0,
    nodes: view.getUint32(address + SEARCH_NODES, true),
    distances: view.getUint32(address + SEARCH_DISTANCES, true),
  };
}
