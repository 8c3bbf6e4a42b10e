// The kernel's proximity graphs: single-layer graphs in the manner of Vamana (Subramanya et al., "DiskANN", NeurIPS 2019) over
// the codes of dense frames, whose searches enter at samples found through clusters.
import type { Metric } from '../../../domain/index-model.ts';
import type { Address } from './kernel-types.ts';

/** How a graph is built; the same for every thread. */
export interface GraphShape {
  readonly dim: number;
  readonly metric: Metric;
  /** u32 array in shared memory: addresses of the code frames that `encodeRow` filled, in the order of slots. */
  readonly codeFrames: Address;
  /** u32 array: addresses of the zeroed frames of nodes, `nodesPerFrame` nodes each. */
  readonly nodeFrames: Address;
  /** Maximum out-degree (R in Vamana), 2 to MAX_DEGREE_BOUND. */
  readonly maxDegree: number;
  /** Degree after the edges of a full node are pruned: from half of `maxDegree`, which protected edges may fill, to all of it. */
  readonly prunedDegree: number;
  /**
   * Where the center of the nodes' binary codes is kept: as many bytes as a row's codes, and 4 more. With one, searches
   * estimate distances by these codes, and read only the rows of their results; call `center` before the first insertion.
   * Null, the default, for nodes without codes, which are smaller.
   */
  readonly center?: Address | null;
  /** Alpha of robust pruning, as a factor on squared distances; 1.2 is usual. */
  readonly alpha: number;
}

/** The clusters through which searches find their entry points. */
export interface GraphClusters {
  readonly graph: Address;
  /** Their header: GRAPH_BYTES bytes, 64-byte aligned. */
  readonly clusters: Address;
  readonly count: number;
  /** u32 array: addresses of the frames of centroids, encoded by `encodeRow`. */
  readonly codeFrames: Address;
  /** u32 array: addresses of the blocks of links between the samples of a cluster. */
  readonly linkBlocks: Address;
  /** u32 array: addresses of the zeroed frames of binary codes, of the centroids and then of the samples. */
  readonly binaryCodeFrames: Address;
  /** Bits of a binary code: one per component, or 0 for none. */
  readonly binaryCodeBits: number;
}

export interface SampleRange {
  readonly clusters: Address;
  /** Samples from..until - 1; one slot in 2^SAMPLE_SHIFT is a sample. */
  readonly from: number;
  readonly until: number;
}

/** A thread's own working memory: `graphScratchBytes` bytes, 64-byte aligned, content undefined. */
export interface GraphScratch {
  readonly address: Address;
  /** Maximum nodes in a beam, those that do not match the filter included. */
  readonly beamCapacity: number;
}

interface GraphWork {
  readonly graph: Address;
  readonly scratch: GraphScratch;
  /** Slots from here on are ignored: they may have been inserted in the meantime. */
  readonly slotLimit: number;
}

export interface GraphInsertion extends GraphWork {
  /** Its row must be encoded. A slot that is in the graph already is left as it is. */
  readonly slot: number;
  /** Beam width of the search for neighbors. */
  readonly efConstruction: number;
}

export interface GraphSearch extends GraphWork {
  /** A block filled by `prepareQuery`. */
  readonly query: Address;
  /** u32 array whose bit i tells whether slot i matches; 0 when all do. */
  readonly bitmap: Address | 0;
  /** Beam width, in matching nodes: cost and recall grow with it. */
  readonly ef: number;
  /** Matching nodes with one key, topK or more, beyond which copies of them are left out: they would crowd out all others. */
  readonly ties: number;
  /** When to end before the whole beam is expanded; null for never. */
  readonly termination: EarlyTermination | null;
  /** Results to return, measured exactly (searches measure roughly on the way); default `ef`. */
  readonly candidates?: number;
  /** How to treat non-matching nodes; null to pass through them at any cost. Ignored without a bitmap. */
  readonly filtered: FilteredTraversal | null;
  /** Clusters to probe for entry points, fewer than usual for a brief search; default as many as usual. */
  readonly probes?: number;
}

/**
 * Ends a search when its nearest `stableResults` matching nodes (1 or more, best topK or somewhat above) have not changed
 * for `patience` expansions of matching nodes, so that easy queries cost less than hard ones. After Teofili and Lin,
 * "Patience in Proximity" (ECIR 2025).
 */
export interface EarlyTermination {
  readonly stableResults: number;
  readonly patience: number;
  /**
   * Goes on, besides, while nodes are left that lie at most 1 + share times as far from the query as the match of this rank
   * (from 1): queries with many nodes about as near as their results need more expansions. After Al-Jazzazi et al.,
   * "Distance Adaptive Beam Search" (2025). Null for patience alone.
   */
  readonly slack: Slack | null;
}

export interface Slack {
  readonly rank: number;
  readonly share: number;
  /** Beam width up to which matching nodes within the slack are kept beyond the search's own width. */
  readonly ef: number;
}

/**
 * How a filtered search crosses non-matching nodes. It is decided per query by the local selectivity, the share of the
 * nearest `localNodes` nodes that match: the selectivity of the filter as a whole says little about it.
 */
export interface FilteredTraversal {
  readonly localNodes: number;
  /** Share of all nodes that match, 0 to 1. A query with a lower local selectivity is searched for longer. */
  readonly selectivity: number;
  /**
   * Early termination at a local selectivity of 0; at higher ones it lies between this and the search's own, which holds at
   * 1. Null when the search has none.
   */
  readonly terminationAtNone: EarlyTermination | null;
  /**
   * With this many matches among `localNodes`, the search passes through non-matching nodes; with fewer, it jumps over them
   * by two-hop expansion (Patel et al., "ACORN", SIGMOD 2024).
   */
  readonly passThroughMin: number;
  /** With fewer matches than this, the search is abandoned, because matches lie far from the query; 0 for never. */
  readonly abandonBelow: number;
  /** New nodes that end the two-hop expansion of one node. */
  readonly expansionMax: number;
  /** A short search to try first; null for none. */
  readonly preliminary: PreliminarySearch | null;
}

/**
 * A short search through matching and non-matching nodes alike that expands only the nearest few. Its results stand unless
 * the last of them lies in a crowd, that is among many nodes at about the same distance, most of which it has not met.
 */
export interface PreliminarySearch {
  /** Matches among `localNodes` from which on it is tried. */
  readonly matchesMin: number;
  /** Nodes to expand, 1 or more. */
  readonly depth: number;
  /** Rank, from 1, of the match that counts as the last result. */
  readonly rank: number;
  /** This many nodes at most about as far away as that match are a crowd. */
  readonly crowdMin: number;
  /** True to abandon the search where it ends in a crowd (so that the caller scans), false to continue without it. */
  readonly abandonsCrowded: boolean;
}

export interface GraphResults {
  /** Address of the matching nodes found: (key f32, slot u32) each, best first. */
  readonly entries: Address;
  readonly count: number;
  /** True when the search was abandoned: scan instead. */
  readonly isAbandoned: boolean;
  /** Nodes expanded. */
  readonly nodes: number;
  /** Distances computed. */
  readonly distances: number;
}

export interface OutOfDistributionInput extends Pick<GraphWork, 'graph' | 'scratch'> {
  /** The query of the search. */
  readonly query: Address;
  /** One of its results, usually the first. */
  readonly result: { readonly slot: number; readonly key: number };
}

export interface RowReflection {
  readonly graph: Address;
  /** The query of the search. */
  readonly query: Address;
  readonly slot: number;
  /** Floats, as many as the query has. */
  readonly reflection: Address;
}

export interface ResultKeying extends Pick<GraphWork, 'graph' | 'scratch'> {
  readonly query: Address;
  /** Up to MAX_DEGREE_BOUND entries whose slots are set. */
  readonly results: Pick<GraphResults, 'entries' | 'count'>;
}

export interface ResultBounding {
  readonly graph: Address;
  /** The query of the search. */
  readonly query: Address;
  /** Results of the search, or the first `count` of them; its scratch must not have been used since. */
  readonly results: Pick<GraphResults, 'entries' | 'count'>;
  /** f32 array of a sparse score per slot to add to the keys; 0 for none. */
  readonly sparseScores: Address | 0;
}

export interface GraphScan extends GraphWork {
  /** A block filled by `prepareQuery`. */
  readonly query: Address;
  /** u32 array whose bit i tells whether slot i matches. */
  readonly bitmap: Address;
  /** f32 array of a sparse score per slot to add to the keys; 0 for none. */
  readonly sparseScores: Address | 0;
  readonly heap: Address;
}

export interface DeleteConsolidation extends GraphWork {
  /** u32 array whose bit i tells whether slot i is live. */
  readonly live: Address;
  /** Slots from..until - 1. */
  readonly from: number;
  readonly until: number;
  /** Beam width of the search for neighbors of nodes that lose most of theirs. */
  readonly efConstruction: number;
}

export interface GraphDeletion extends GraphWork {
  readonly live: Address;
  readonly efConstruction: number;
}

export interface GraphKernel {
  /**
   * Writes the header of an empty graph: GRAPH_BYTES bytes at `graph`, 64-byte aligned.
   * @throws RangeError for degrees out of range
   */
  create(graph: Address, shape: GraphShape): void;
  /**
   * Points the graph to longer arrays of frame addresses that begin like the old ones. Calls under way continue with the
   * old arrays, which must stay until these end.
   */
  moveFrames(graph: Address, frames: Pick<GraphShape, 'codeFrames' | 'nodeFrames'>): void;
  /** Centers the nodes' binary codes between the rows below `slotLimit`, which must be encoded; the graph must be empty. */
  center(graph: Address, slotLimit: number): void;
  /** Points the graph to a copy of its center. */
  moveCenter(graph: Address, center: Address): void;
  /** The same for the arrays of the clusters. */
  moveClusters(clusters: Address, arrays: Pick<GraphClusters, 'linkBlocks' | 'binaryCodeFrames'>): void;
  /** Writes the header of clusters whose centroids are encoded; their lists of samples are empty. */
  createClusters(clusters: GraphClusters): void;
  /** Writes the nearest cluster u32 of each sample to `to`; 0xffffffff for samples that are not in the graph. Scratch: SEARCH_FIXED_BYTES. */
  assignSamples(
    range: SampleRange & { readonly graph: Address; readonly to: Address; readonly scratch: Address },
  ): void;
  /** Writes the mean of the centroids as the row behind them, and the binary codes of the centroids, relative to it. */
  binarizeCentroids(clusters: Address): void;
  /** Writes the binary codes of those samples that are in the graph. */
  binarizeSamples(range: SampleRange & { readonly graph: Address }): void;
  /** Appends samples to the lists of the clusters u32 at `assigned`. */
  linkSamples(range: SampleRange & { readonly assigned: Address }): void;
  /** Makes searches and insertions use these clusters from now on; 0 for none. Calls under way may continue with the old ones. */
  useClusters(graph: Address, clusters: Address | 0): void;
  /**
   * Inserts a slot, and lists it in a cluster if it is a sample. Any thread may insert while others search or insert.
   * @returns false for a row that codes cannot describe (its residual norm is infinite): keep it apart, and score it always
   */
  insert(insertion: GraphInsertion): boolean;
  /**
   * Finds the nearest matching nodes by codes. Keys are scores as in scans, higher is better, but estimates instead of
   * bounds. Fewer than `ef` nodes come back when no more match, when the others are copies, or when non-matching nodes fill
   * the beam; scan in the last case. Where nodes have binary codes, keys are about the most that these allow: `keyResults`
   * gives those of rows.
   * @returns null for a query that codes cannot describe: scan instead
   */
  search(search: GraphSearch): GraphResults | null;
  /**
   * How many times as far from the query a result lies as its own neighbors lie from it: about 1 for a query from the
   * distribution of the rows, more where the search may have missed nearer rows. NaN for norms of 0. Leaves the results as
   * they are.
   */
  outOfDistributionRatio(input: OutOfDistributionInput): number;
  /** Writes the point that lies opposite to a row, seen from the query; not for dot products. */
  reflectRow(reflection: RowReflection): void;
  /** Writes the keys that a search for the query would give these results. Needs the scratch of a search. */
  keyResults(keying: ResultKeying): void;
  /** Sorts results in place: best first, ties by slot. */
  sortResults(results: Pick<GraphResults, 'entries' | 'count'>): void;
  /**
   * Replaces the keys of search results by upper bounds of their scores, as scans compute them, and sorts the results in
   * place: best first, ties by slot.
   */
  boundResults(bounding: ResultBounding): void;
  /**
   * Offers (upper bound of the score, slot) of every matching slot below the limit to the heap, the same as scans of all
   * code frames do; twice as fast where few slots match.
   */
  scan(scan: GraphScan): void;
  /**
   * First step of a deletion, for a range of slots: gives live nodes with edges to deleted ones other neighbors (Singh et
   * al., "FreshDiskANN", 2021, algorithm 4).
   * @returns nodes changed
   */
  consolidateDeletes(consolidation: DeleteConsolidation): number;
  /**
   * Last step, once all slots are consolidated: removes the deleted nodes and makes every live one reachable. Nobody may
   * insert between the steps. Needs a scratch made for deletions.
   * @returns nodes that had to be reattached
   */
  dropDeleted(deletion: GraphDeletion): number;
}
