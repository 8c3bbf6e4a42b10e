// What the kernel offers on proximity graphs: one layer (Vamana style) over the codes of dense frames, entered by regions.
import type { Metric } from '../../../domain/index-model.ts';
import type { Address } from './kernel-interface.ts';

/** How a graph is built; every thread sees the same. */
export interface GraphShape {
  readonly dim: number;
  readonly metric: Metric;
  /** u32 array in shared memory: addresses of the code frames, as `encodeRow` fills them, in the order of slots. */
  readonly codeFrames: Address;
  /** u32 array: addresses of the frames of nodes, zeroed; `nodesPerFrame` nodes each. */
  readonly nodeFrames: Address;
  /** Most links of a node; at most LINKS_BOUND. */
  readonly linksMax: number;
  /** Links left when a full node's are pruned; from half of `linksMax` (which must stay) to all. */
  readonly linksKept: number;
  /** How much nearer (in squared distance) a neighbour must be to another to stand for it; 1.2 is usual. */
  readonly alpha: number;
}

/** Regions in which walks find where to begin. */
export interface GraphRegions {
  readonly graph: Address;
  /** Their header: GRAPH_BYTES bytes, 64-byte aligned. */
  readonly regions: Address;
  readonly count: number;
  /** u32 array: addresses of the frames of their centres, as `encodeRow` fills them. */
  readonly codeFrames: Address;
  /** u32 array: addresses of the blocks of links between samples. */
  readonly linkBlocks: Address;
  /** u32 array: addresses of the frames, zeroed, of sketches: of the centres, then of the samples. */
  readonly sketchFrames: Address;
  /** Bits of a sketch: one a component, or 0 for none. */
  readonly sketchBits: number;
}

export interface SampleRange {
  readonly regions: Address;
  /** Samples: one slot in 2^SAMPLE_SHIFT. */
  readonly from: number;
  readonly until: number;
}

/** A thread's own room to work in: `graphScratchBytes` bytes, 64-byte aligned, content undefined. */
export interface GraphScratch {
  readonly address: Address;
  /** Most nodes a beam holds, unwanted ones among them. */
  readonly places: number;
}

interface GraphWork {
  readonly graph: Address;
  readonly scratch: GraphScratch;
  /** Above every slot to look at; others, inserted meanwhile, are passed over. */
  readonly slotLimit: number;
}

export interface GraphInsertion extends GraphWork {
  /** Its row must be encoded; nothing is done when it is in the graph already. */
  readonly slot: number;
  /** Beam of the walk that finds neighbours (efConstruction). */
  readonly breadth: number;
}

export interface GraphSearch extends GraphWork {
  /** A block filled by `prepareQuery`. */
  readonly query: Address;
  /** Bit i of a u32 array: slot i is wanted; 0 for all. */
  readonly bitmap: Address | 0;
  /** Wanted nodes to keep: the beam. Effort and recall grow with it. */
  readonly keep: number;
  /** Most wanted nodes of one and the same key to keep, topK or more: without a bound, copies of a row crowd out the others. */
  readonly ties: number;
  /**
   * Ends the walk early, when its first `settled` (1 or more, best somewhat above topK) wanted nodes have not changed for
   * `patience` expansions of wanted ones: easy queries then cost less than hard ones. Null for when the whole beam is
   * expanded.
   */
  readonly stop: GraphStop | null;
  /** Of these, how many are wanted back, measured exactly: on their way, walks measure roughly. All of them by default. */
  readonly candidates?: number;
  /** What to do about unwanted nodes; null: pass through them, whatever it costs. No matter without a bitmap. */
  readonly crossing: GraphCrossing | null;
}

export interface GraphStop {
  readonly settled: number;
  readonly patience: number;
}

/**
 * How a walk crosses unwanted nodes, decided a query by how many of the `look` nearest nodes of all kinds are wanted: the
 * filter's share of all nodes tells little of its share around the query.
 */
export interface GraphCrossing {
  readonly look: number;
  /** The share of wanted ones among them around most queries: where it is less, the walk goes on for longer. */
  readonly usual: number;
  /**
   * The stop where next to none is wanted around the query; with more, it lies between this and the search's own, which is
   * for where all are. Null when the search has none.
   */
  readonly stopRare: GraphStop | null;
  /** With this many wanted ones, the walk passes through the others; with fewer it goes over wanted ones alone, by two links. */
  readonly passFrom: number;
  /** With fewer than this (0 = never), it gives up: what is wanted lies away from the query. */
  readonly cutBelow: number;
  /** New nodes that suffice for an expansion by two links. */
  readonly enough: number;
  /** A short walk to try first; null for none. */
  readonly first: GraphFirst | null;
}

/**
 * A walk through wanted and unwanted nodes alike that ends when the nearest few of both kinds are expanded. That does unless it
 * ends among many nodes, all about as far as the last wanted: it has met few of them.
 */
export interface GraphFirst {
  /** Tried with this many wanted ones around the query. */
  readonly from: number;
  /** Nodes to expand, 1 or more. */
  readonly depth: number;
  /** The place, from 1, of the wanted node that counts as the last. */
  readonly front: number;
  /** So many nodes about as far as that one, or nearer, are many. */
  readonly many: number;
  /** True to give up where that ends among many: scan then. False to go on as without. */
  readonly isScan: boolean;
}

export interface GraphFindings {
  /** Address of the wanted nodes found: (key f32, slot u32) each, best first. */
  readonly entries: Address;
  readonly count: number;
  /** True when the walk gave up: scan then. */
  readonly isCut: boolean;
  /** Nodes whose links were followed. */
  readonly nodes: number;
  readonly distances: number;
}

export interface GraphFaintness extends Pick<GraphWork, 'graph' | 'scratch'> {
  /** The query that was searched for. */
  readonly query: Address;
  /** The first of the findings. */
  readonly best: { readonly slot: number; readonly key: number };
}

export interface GraphBounding {
  readonly graph: Address;
  /** The query that was searched for. */
  readonly query: Address;
  /** What the search returned, or its first `count`; the search's scratch must not have been used since. */
  readonly findings: Pick<GraphFindings, 'entries' | 'count'>;
  /** An f32 per slot that is added to its key, or 0 for none. */
  readonly sparseScores: Address | 0;
}

export interface GraphScan extends GraphWork {
  /** A block filled by `prepareQuery`. */
  readonly query: Address;
  /** Bit i of a u32 array: slot i is wanted. */
  readonly bitmap: Address;
  /** An f32 per slot that is added to its key, or 0 for none. */
  readonly sparseScores: Address | 0;
  readonly heap: Address;
}

export interface GraphBridging extends GraphWork {
  /** Bit i of a u32 array: slot i stays. */
  readonly live: Address;
  readonly from: number;
  readonly until: number;
  /** Beam of the walk that finds neighbours for nodes that lose most of theirs. */
  readonly breadth: number;
}

export interface GraphRemoval extends GraphWork {
  readonly live: Address;
  readonly breadth: number;
}

export interface GraphKernel {
  /** Writes the header of an empty graph: GRAPH_BYTES bytes at `graph`, 64-byte aligned. */
  create(graph: Address, shape: GraphShape): void;
  /**
   * Tells the graph of longer arrays of frame addresses, copies of the old ones and more. Threads at work go on with the old
   * ones, so these must stay until then.
   */
  moveFrames(graph: Address, frames: Pick<GraphShape, 'codeFrames' | 'nodeFrames'>): void;
  /** The same for the arrays of regions. */
  moveRegions(regions: Address, arrays: Pick<GraphRegions, 'linkBlocks' | 'sketchFrames'>): void;
  /** Writes the header of regions whose centres are encoded; all their lists are empty. */
  createRegions(regions: GraphRegions): void;
  /** Writes the region u32 of each sample to `to`, 0xffffffff for those not in the graph. Scratch: WALK_FIXED_BYTES. */
  assignSamples(
    range: SampleRange & { readonly graph: Address; readonly to: Address; readonly scratch: Address },
  ): void;
  /** Sketches the centres, as seen from their middle: the row behind them. */
  sketchCentres(regions: Address): void;
  /** Sketches those samples that are in the graph. */
  sketchSamples(range: SampleRange & { readonly graph: Address }): void;
  /** Puts samples in the lists of the regions u32 at `assigned`. */
  linkSamples(range: SampleRange & { readonly assigned: Address }): void;
  /** Walks and insertions go by these regions from now on; 0 for none. Threads at work may go on with the old ones. */
  useRegions(graph: Address, regions: Address | 0): void;
  /**
   * Adds a slot that is not there yet, to the samples, too, when it is one. Any thread may insert while others search or
   * insert.
   * @returns false for a row that codes cannot describe (its residual norm is infinite): keep it apart, score it always
   */
  insert(insertion: GraphInsertion): boolean;
  /**
   * Finds the nearest wanted nodes by codes; keys are as in scans, higher = better, but estimates, not bounds. Fewer
   * than `keep` come back when the graph has fewer, when only copies of them are left, or when `places` ran out among unwanted ones: scan then.
   * @returns null for a query that codes cannot describe: scan then
   */
  search(search: GraphSearch): GraphFindings | null;
  /**
   * How many times as far from the query the best finding lies as its neighbours lie from it: about 1 for a query among
   * rows of its kind, more where the walk may have missed nearer ones. NaN where norms are 0. Leaves the findings as they are.
   */
  faintness(faintness: GraphFaintness): number;
  /**
   * Turns the keys of a search's findings into upper bounds of the scores, as those of scans are, and sorts them anew: best
   * first, ties by slot. Entries stay where they are.
   */
  boundFindings(bounding: GraphBounding): void;
  /**
   * Offers (upper bound of the score, slot) of every wanted slot below the limit to the heap, exactly those that scanning
   * all code frames would offer; where few are wanted, in half the time.
   */
  scan(scan: GraphScan): void;
  /**
   * First step of a removal, in runs of slots: live nodes that link to removed ones get other neighbours.
   * @returns nodes changed
   */
  bridgeRemoved(bridging: GraphBridging): number;
  /**
   * Last step, once all slots are bridged: takes the removed nodes out and makes sure that every other is reachable.
   * Nobody may insert between the steps. The scratch needs room for removals.
   * @returns nodes that had to be linked anew
   */
  dropRemoved(removal: GraphRemoval): number;
}
