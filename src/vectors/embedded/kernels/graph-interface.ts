// What the kernel offers on proximity graphs: one layer (Vamana style) over the codes of dense frames.
import type { Metric } from '../../../domain/index-model.ts';
import type { Address } from './kernel-interface.ts';

/** How a graph is built; every thread sees the same. */
export interface GraphShape {
  readonly dim: number;
  readonly metric: Metric;
  /** u32 array in shared memory: addresses of the code frames, as `encodeRow` fills them, in the order of slots. */
  readonly codeFrames: Address;
  /** u32 array: addresses of the frames of nodes, zeroed; `nodesPerFrame(linksMax)` slots each. */
  readonly nodeFrames: Address;
  /** Most links of a node; at most LINKS_BOUND. */
  readonly linksMax: number;
  /** Links left when a full node's are pruned; from half of `linksMax` (which must stay) to all. */
  readonly linksKept: number;
  /** How much nearer (in squared distance) a neighbour must be to another to stand for it; 1.2 is usual. */
  readonly alpha: number;
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
  /** Its row must be encoded; not yet in the graph. */
  readonly slot: number;
  /** Beam of the walk that finds neighbours (efConstruction). */
  readonly breadth: number;
}

export interface GraphSearch extends GraphWork {
  /** A block filled by `prepareQuery`. */
  readonly query: Address;
  /** Bit i of a u32 array: slot i is wanted; 0 for all. The walk passes through the others. */
  readonly bitmap: Address | 0;
  /** Wanted nodes to keep: the beam. Effort and recall grow with it. */
  readonly keep: number;
  /** Most wanted nodes of one and the same key to keep, topK or more: without a bound, copies of a row crowd out the others. */
  readonly ties: number;
  /**
   * Ends the walk early, when its first `settled` (1 or more, best somewhat above topK) wanted nodes have not changed for
   * `patience` expansions: easy queries then cost less than hard ones. Null for when the whole beam is expanded.
   */
  readonly stop: { readonly settled: number; readonly patience: number } | null;
}

export interface GraphFindings {
  /** Address of the wanted nodes found: (key f32, slot u32) each, best first. */
  readonly entries: Address;
  readonly count: number;
  /** Nodes whose links were followed. */
  readonly nodes: number;
  readonly distances: number;
}

export interface GraphBridging extends GraphWork {
  /** Bit i of a u32 array: slot i stays. */
  readonly live: Address;
  readonly from: number;
  readonly until: number;
}

export interface GraphRemoval extends GraphWork {
  readonly live: Address;
  readonly breadth: number;
}

export interface GraphKernel {
  /** Writes the header of an empty graph: GRAPH_BYTES bytes at `graph`, 64-byte aligned. */
  create(graph: Address, shape: GraphShape): void;
  /**
   * Tells the graph of longer arrays of frame addresses, copies of the old ones and more. Threads at work go on with the
   * old ones, so these must stay until then.
   */
  moveFrames(graph: Address, frames: Pick<GraphShape, 'codeFrames' | 'nodeFrames'>): void;
  /**
   * Adds a slot. Any thread may insert while others search or insert, once the first node is in.
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
