// Deletion of nodes as in FreshDiskANN (Singh et al., 2021, algorithm 4): their neighbors become candidates of one
// another; then every remaining node is made reachable.
import { GRAPH_HAS_FIRST, GRAPH_COUNT, GRAPH_ENTRY_POINTS, GRAPH_ENTRY_POINTS_MAX, GRAPH_ENTRY_POINT_COUNT, SEARCH_PARAMETERS } from '../constants';
import {
  CONSOLIDATION_BEAM_CAPACITY,
  CONSOLIDATION_EF_CONSTRUCTION,
  CONSOLIDATION_FROM,
  CONSOLIDATION_LIVE,
  CONSOLIDATION_SLOT_LIMIT,
  CONSOLIDATION_UNTIL,
} from '../parameters';
import { BUILD_TIES } from './build-tuning';
import { beamDistance, beamSlot } from './graph-beam';
import { attach } from './graph-insertion';
import { beamSearch } from './graph-entry-points';
import { targetRow } from './graph-distance';
import {
  addBatch,
  addCandidate,
  addEdge,
  addOwnEdges,
  clearCandidates,
  canAddBatch,
  prune,
  sortCandidates,
  storeSelected,
} from './graph-prune';
import {
  degreeOf,
  graph,
  isPresent,
  EDGE_PROTECTED,
  EDGE_SLOT,
  edgeAddress,
  prunedDegree,
  lockNode,
  nodeAddress,
  openGraph,
  setBit,
  testBit,
} from './graph-state';
import { dropDeletedSamples } from './graph-clusters';
import { batchSlots, clearVisited, openScratch, slotLimit, visitedBitmap } from './graph-beam-search';

let live: usize = 0;
/** Bit i: slot i is reachable by protected edges. */
let reached: usize = 0;
/** Slots u32 that have been reached, and how far their edges have been followed. */
let queue: usize = 0;
let queueEnd: i32 = 0;
let followedTo: i32 = 0;
let protectedTo: i32 = 0;

/**
 * Consolidates a range of slots by the block of the scratch (see parameters.ts): a live node with edges to deleted ones
 * gets new neighbors from its own, from theirs, and, if it loses more than half, from a search.
 * @returns the number of nodes changed
 */
export function consolidateDeletes(target: usize, scratchAddress: usize): i32 {
  const block = scratchAddress + SEARCH_PARAMETERS, efConstruction = load<i32>(block, CONSOLIDATION_EF_CONSTRUCTION);
  const from = load<u32>(block, CONSOLIDATION_FROM), until = load<u32>(block, CONSOLIDATION_UNTIL);
  openGraph(target);
  openScratch(scratchAddress, load<i32>(block, CONSOLIDATION_BEAM_CAPACITY), load<u32>(block, CONSOLIDATION_SLOT_LIMIT));
  live = load<usize>(block, CONSOLIDATION_LIVE);
  let changed = 0;
  for (let slot = from; slot < until; slot++) {
    if (!testBit(live, slot) || !isPresent(slot)) continue;
    const node = nodeAddress(slot);
    const remaining = countLive(node);
    if (remaining == degreeOf(node)) continue;
    targetRow(slot);
    const lostMost = remaining < degreeOf(node) >> 1;
    const found = lostMost ? beamSearch(efConstruction, live, BUILD_TIES) : 0;
    const degree = lockNode(node);
    collectCandidates(slot, node, degree, found);
    sortCandidates();
    const selected = prune(prunedDegree);
    storeSelected(node);
    if (lostMost) addReverseEdges(slot, node, selected);
    changed++;
  }
  return changed;
}

function countLive(node: usize): i32 {
  const degree = degreeOf(node);
  let count = 0;
  for (let at = 0; at < degree; at++) {
    count += <i32>testBit(live, load<u32>(edgeAddress(node, at)) & EDGE_SLOT);
  }
  return count;
}

/** Adds edges from the new neighbors to the node, so that it is found from others than its old ones. */
function addReverseEdges(slot: u32, node: usize, selected: i32): void {
  for (let at = 0; at < selected; at++) addEdge(load<u32>(edgeAddress(node, at)) & EDGE_SLOT, slot, false);
}

/**
 * Makes candidates, each once, of the node's live neighbors, the `found` nodes of the beam, and the neighbors of
 * deleted ones.
 */
function collectCandidates(slot: u32, node: usize, degree: i32, found: i32): void {
  clearCandidates();
  clearVisited();
  setBit(visitedBitmap(), slot);
  addOwnEdges(node, gatherLive(node));
  addFound(found);
  for (let at = 0; at < degree && canAddBatch(); at++) {
    const edge = load<u32>(edgeAddress(node, at)) & EDGE_SLOT;
    if (!testBit(live, edge)) addBatch(gatherLive(nodeAddress(edge)));
  }
}

/** Adds the live and unvisited nodes of the beam to the candidates, and marks them as visited. */
function addFound(found: i32): void {
  for (let at = 0; at < found; at++) {
    const slot = beamSlot(at);
    if (!canAddBatch()) return;
    if (!testBit(live, slot) || testBit(visitedBitmap(), slot)) continue;
    setBit(visitedBitmap(), slot);
    addCandidate(slot, beamDistance(at));
  }
}

/** Puts the node's live and unvisited neighbors in the batch, and marks them as visited. @returns their count */
function gatherLive(node: usize): i32 {
  const visited = visitedBitmap(), slots = batchSlots(), degree = degreeOf(node);
  let count = 0;
  for (let at = 0; at < degree; at++) {
    const slot = load<u32>(edgeAddress(node, at)) & EDGE_SLOT;
    if (!testBit(live, slot) || testBit(visited, slot)) continue;
    setBit(visited, slot);
    store<u32>(slots + (<usize>count << 2), slot);
    count++;
  }
  return count;
}

/**
 * Ends a deletion once all slots are consolidated: makes every live node reachable from the first entry point by
 * protected edges, and removes the deleted ones. Nobody may insert at the same time.
 * @returns the number of nodes that had to be reattached
 */
export function dropDeleted(target: usize, bitmap: usize, limit: u32, efConstruction: i32, scratchAddress: usize, beamCapacity: i32): i32 {
  openGraph(target);
  openScratch(scratchAddress, beamCapacity, limit);
  live = bitmap;
  const words = <usize>((limit + 31) >>> 5) << 2;
  reached = visitedBitmap() + words;
  queue = reached + words;
  queueEnd = 0, followedTo = 0, protectedTo = 0;
  memory.fill(reached, 0, words);
  keepLiveEntryPoints();
  followProtected();
  protectEdges();
  let reattached = 0;
  for (let slot: u32 = 0; slot < slotLimit; slot++) {
    if (!isPresent(slot) || !testBit(live, slot) || testBit(reached, slot)) continue;
    targetRow(slot);
    attach(beamSearch(efConstruction, reached, BUILD_TIES), slot, reached);
    reach(slot);
    protectEdges();
    reattached++;
  }
  clearDeleted();
  return reattached;
}

function keepLiveEntryPoints(): void {
  const entries = min(atomic.load<u32>(graph, GRAPH_ENTRY_POINT_COUNT), <u32>GRAPH_ENTRY_POINTS_MAX);
  let count: u32 = 0;
  for (let at: u32 = 0; at < entries; at++) {
    const slot = atomic.load<u32>(graph + (<usize>at << 2), GRAPH_ENTRY_POINTS);
    if (testBit(live, slot)) storeEntryPoint(count++, slot);
  }
  for (let slot: u32 = 0; slot < slotLimit && count == 0; slot++) {
    if (isPresent(slot) && testBit(live, slot)) storeEntryPoint(count++, slot);
  }
  atomic.store<u32>(graph, count, GRAPH_ENTRY_POINT_COUNT);
  if (count == 0) atomic.store<u32>(graph, 0, GRAPH_HAS_FIRST);
}

function storeEntryPoint(at: u32, slot: u32): void {
  atomic.store<u32>(graph + (<usize>at << 2), slot, GRAPH_ENTRY_POINTS);
  // Reachability is from the first entry point alone, as in a graph without deletions.
  if (at == 0) reach(slot);
}

@inline
function reach(slot: u32): void {
  if (testBit(reached, slot)) return;
  setBit(reached, slot);
  store<u32>(queue + (<usize>queueEnd << 2), slot);
  queueEnd++;
}

/** Follows protected edges. */
function followProtected(): void {
  for (; followedTo < queueEnd; followedTo++) {
    const node = nodeAddress(load<u32>(queue + (<usize>followedTo << 2))), degree = degreeOf(node);
    for (let at = 0; at < degree; at++) {
      const edge = load<u32>(edgeAddress(node, at));
      if ((edge & EDGE_PROTECTED) != 0 && testBit(live, edge & EDGE_SLOT)) reach(edge & EDGE_SLOT);
    }
  }
}

/** Protects edges that lead to unreached nodes. */
function protectEdges(): void {
  followProtected();
  for (; protectedTo < queueEnd; protectedTo++) {
    const slot = load<u32>(queue + (<usize>protectedTo << 2));
    const node = nodeAddress(slot), degree = degreeOf(node);
    for (let at = 0; at < degree; at++) {
      const other = load<u32>(edgeAddress(node, at)) & EDGE_SLOT;
      if (testBit(reached, other) || !testBit(live, other) || !addEdge(slot, other, true)) continue;
      reach(other);
      followProtected();
    }
  }
}

function clearDeleted(): void {
  for (let slot: u32 = 0; slot < slotLimit; slot++) {
    if (testBit(live, slot) || !isPresent(slot)) continue;
    atomic.store<u32>(nodeAddress(slot), 0);
    atomic.sub<u32>(graph, 1, GRAPH_COUNT);
  }
  dropDeletedSamples(live);
}
