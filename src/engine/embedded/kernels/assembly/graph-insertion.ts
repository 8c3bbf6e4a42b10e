// Insertion of one node, as in Vamana: a beam search, robust pruning, and reverse edges.
import {
  CANDIDATES_BOUND,
  GRAPH_HAS_FIRST,
  GRAPH_COUNT,
  GRAPH_ENTRY_POINTS,
  GRAPH_ENTRY_POINTS_MAX,
  GRAPH_ENTRY_POINT_COUNT,
  META_RESIDUAL_NORM,
  NODE_CODE_SQUARES,
} from '../constants';
import { BUILD_TIES, OUTLIER_EF } from './build-tuning';
import { codeSquares, targetRow } from './graph-distance';
import {
  graph,
  isPresent,
  EDGE_PROTECTED,
  EDGE_SLOT,
  edgeAddress,
  prunedDegree,
  testBit,
  nodeAddress,
  nodeCodeBytes,
  openGraph,
  rowAddresses,
} from './graph-state';
import { addCandidate, addEdge, clearCandidates, prune, storeSelected } from './graph-prune';
import { beamDistance, beamSlot } from './graph-beam';
import { findDistantEntryPoints, beamSearch, beamSearchFrom } from './graph-entry-points';
import { isOutlier } from './graph-out-of-distribution';
import { writeNodeCode } from './graph-node-codes';
import { addSample } from './graph-clusters';
import { clearVisited, openScratch } from './graph-beam-search';


/**
 * Inserts the row of `slot` into the graph, and lists it if it is a sample; several threads may insert at the same
 * time. All slots to link to are below `limit`; `efConstruction` is the beam width of the search for neighbors.
 * @returns 0 when codes cannot describe the row, else 1
 */
export function insertNode(target: usize, slot: u32, limit: u32, efConstruction: i32, scratchAddress: usize, beamCapacity: i32): i32 {
  openGraph(target);
  openScratch(scratchAddress, beamCapacity, limit);
  if (load<f32>(<usize>(rowAddresses(slot) >> 32), META_RESIDUAL_NORM) == Infinity) return 0;
  if (isPresent(slot)) return 1;
  addNode(slot, efConstruction);
  addSample(slot);
  return 1;
}

function addNode(slot: u32, efConstruction: i32): void {
  const node = nodeAddress(slot);
  store<i32>(node, codeSquares(<usize>(rowAddresses(slot) & 0xffffffff)), NODE_CODE_SQUARES);
  if (nodeCodeBytes != 0) writeNodeCode(slot);
  targetRow(slot);
  let found = beamSearch(efConstruction, 0, BUILD_TIES);
  // The first node has no neighbors; all others wait for it.
  while (found == 0 && !isFirst()) found = beamSearch(efConstruction, 0, BUILD_TIES);
  addNearestCandidates(found, slot);
  const selected = prune(prunedDegree);
  storeSelected(node);
  const isolated = found > 0 && selected < prunedDegree >> 1 && isOutlier(slot, nearestOther(found, slot));
  if (found > 0) attach(found, slot, 0);
  for (let at = 0; at < selected; at++) addEdge(load<u32>(edgeAddress(node, at)) & EDGE_SLOT, slot, false);
  if (isolated) attachOutlier(slot);
  addGraphEntryPoint(slot, atomic.add<u32>(graph, 1, GRAPH_COUNT));
}

/** The nearest node of the beam other than the slot itself, which another thread may have found. */
@inline
function nearestOther(found: i32, slot: u32): u32 {
  return beamSlot(<i32>(beamSlot(0) == slot && found > 1));
}

/**
 * Gives an outlier a protected edge from every cluster in which a search for it may start: all are about as far away,
 * and a query near it may end in any.
 */
function attachOutlier(slot: u32): void {
  targetRow(slot);
  const count = findDistantEntryPoints();
  clearVisited();
  for (let entryPoint = 0; entryPoint < count; entryPoint++) {
    const found = beamSearchFrom(entryPoint, OUTLIER_EF, BUILD_TIES);
    for (let at = 0; at < found; at++) {
      if (beamSlot(at) != slot && addEdge(beamSlot(at), slot, true)) break;
    }
    targetRow(slot);
  }
}

function isFirst(): bool {
  return atomic.cmpxchg<u32>(graph, 0, 1, GRAPH_HAS_FIRST) == 0;
}

/** Makes candidates of the nearest nodes of the beam. */
function addNearestCandidates(found: i32, slot: u32): void {
  clearCandidates();
  for (let at = 0; at < min(found, CANDIDATES_BOUND); at++) {
    if (beamSlot(at) != slot) addCandidate(beamSlot(at), beamDistance(at));
  }
}

/**
 * Gives the slot a protected edge from the nearest node of the beam that can take one, so that the slot stays
 * reachable. `reachable` is 0, or a bitmap of the slots that are reachable themselves.
 */
export function attach(found: i32, slot: u32, reachable: usize): void {
  let from = load<u32>(graph, GRAPH_ENTRY_POINTS), isFirst = true;
  for (let at = 0; at < found; at++) {
    const near = beamSlot(at);
    if (near == slot || (reachable != 0 && !testBit(reachable, near))) continue;
    if (addEdge(near, slot, true)) return;
    if (isFirst) from = near;
    isFirst = false;
  }
  // Among many equal rows, all nodes of the beam may be full. Then the ends of their protected edges, or of theirs, are
  // not.
  for (let step: u32 = 0; ; step++) {
    from = protectedChildOf(from, slot + step);
    if (addEdge(from, slot, true)) return;
  }
}

/** An end of one of a node's protected edges, selected by `choice`. */
function protectedChildOf(slot: u32, choice: u32): u32 {
  const node = nodeAddress(slot);
  const degree = <i32>(atomic.load<u32>(node) & 0xffff);
  let count: u32 = 0, child = slot;
  for (let at = 0; at < degree; at++) count += load<u32>(edgeAddress(node, at)) >>> 31;
  if (count == 0) return slot;
  let skip = (choice * 0x9e3779b1 >>> 8) % count;
  for (let at = 0; at < degree; at++) {
    const edge = load<u32>(edgeAddress(node, at));
    if ((edge & EDGE_PROTECTED) == 0) continue;
    child = edge & EDGE_SLOT;
    if (skip-- == 0) break;
  }
  return child;
}

/**
 * Makes entry points of the first node and of one more whenever the graph doubles, so that they lie in several
 * clusters.
 */
function addGraphEntryPoint(slot: u32, countBefore: u32): void {
  if ((countBefore & (countBefore - 1)) != 0 && countBefore != 0) return;
  if (atomic.load<u32>(graph, GRAPH_ENTRY_POINT_COUNT) >= <u32>GRAPH_ENTRY_POINTS_MAX) return;
  const count = atomic.add<u32>(graph, 1, GRAPH_ENTRY_POINT_COUNT);
  if (count < <u32>GRAPH_ENTRY_POINTS_MAX) atomic.store<u32>(graph + (<usize>count << 2), slot, GRAPH_ENTRY_POINTS);
}
