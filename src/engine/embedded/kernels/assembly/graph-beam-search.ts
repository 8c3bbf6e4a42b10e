// Beam search (Jayaram Subramanya et al., "DiskANN", NeurIPS 2019, algorithm 1): expands the nearest unexpanded node
// until all nodes in the beam are expanded.
import {
  BEAM_ENTRY_BYTES,
  MAX_DEGREE_BOUND,
  SEARCH_DISTANCES,
  SEARCH_FIXED_BYTES,
  SEARCH_NODES,
} from '../constants';
import {
  areFourTooFar,
  beamCount,
  beamSlot,
  EXPANDED,
  isBeyondSlack,
  isStable,
  isTooFar,
  openBeam,
  orderedBits,
  insertEntry,
  entryAddress,
  SLOT_SHIFT,
  slotOf,
  MATCHING,
  updateSlackLimit,
} from './graph-beam';
import { measureRoughly, measureRows, measureRun } from './graph-distance';
import { estimateNodes, isByNodeCodes, measureByRows } from './graph-node-codes';
import { degreeOf, testBit, EDGE_SLOT, edgeAddress, maxDegree, nodeAddress } from './graph-state';
import { sortEntries } from './sort';

/**
 * Fixed areas of the scratch: slots u32, distances f32 and addresses u64 of one batch. What follows belongs to
 * construction.
 */
const BATCH: usize = MAX_DEGREE_BOUND + 8;
const SLOTS: usize = 64;
const DISTANCES: usize = SLOTS + 4 * BATCH;
const ADDRESSES: usize = DISTANCES + 4 * BATCH;
export const BUILD_AREA: usize = ADDRESSES + 8 * BATCH;

export let scratch: usize = 0;
export let slotLimit: u32 = 0;
let visited: usize = 0;

/** Sets where the searches that follow work: a beam of up to `beamCapacity` entries, over slots below `limit`. */
export function openScratch(address: usize, beamCapacity: i32, limit: u32): void {
  scratch = address;
  slotLimit = limit;
  openBeam(address + SEARCH_FIXED_BYTES, beamCapacity);
  measureByRows();
  visited = address + SEARCH_FIXED_BYTES + <usize>(beamCapacity + 1) * BEAM_ENTRY_BYTES;
  store<u32>(address, 0, SEARCH_NODES);
  store<u32>(address, 0, SEARCH_DISTANCES);
}

@inline
export function visitedBitmap(): usize {
  return visited;
}

export function clearVisited(): void {
  memory.fill(visited, 0, <usize>((slotLimit + 31) >>> 5) << 2);
}

@inline
export function batchSlots(): usize {
  return scratch + SLOTS;
}

@inline
export function batchDistances(): usize {
  return scratch + DISTANCES;
}

/** Measures the first `count` slots of the batch from the target, or estimates their distances by their nodes. */
export function measureBatch(count: i32): void {
  if (isByNodeCodes()) estimateNodes(scratch + SLOTS, count, scratch + DISTANCES, scratch + ADDRESSES);
  else measureRows(scratch + SLOTS, count, scratch + DISTANCES, scratch + ADDRESSES);
  store<u32>(scratch, load<u32>(scratch, SEARCH_DISTANCES) + <u32>count, SEARCH_DISTANCES);
}

/** Measures `count` consecutive slots from `first` on roughly, as if they were the first of the batch. */
export function measureRunAsBatch(first: u32, count: i32): void {
  for (let at = 0; at < count; at++) store<u32>(scratch + SLOTS + (<usize>at << 2), first + at);
  measureRun(first, count, scratch + DISTANCES, scratch + ADDRESSES);
  store<u32>(scratch, load<u32>(scratch, SEARCH_DISTANCES) + <u32>count, SEARCH_DISTANCES);
}

/**
 * Expands matching and non-matching nodes alike until the first `depth` entries are all expanded, or until the front of
 * the beam has been stable for `patience` expansions of matching nodes (0 for no such limit) and all that is left lies
 * beyond the slack.
 */
export function expandAll(bitmap: usize, patience: i32, depth: i32): void {
  // The edges of two nodes must fit in a batch.
  const isPaired = maxDegree << 1 <= MAX_DEGREE_BOUND;
  let expanded = 0, stableFor = 0;
  for (let at = 0; ; ) {
    const end = min(beamCount, depth), first = nextToExpand(at, end);
    if (first >= end || (patience != 0 && stableFor >= patience && isBeyondSlack(first))) break;
    // Two nodes at a time: their edges, and then the rows at the other ends, load concurrently
    // (docs/decisions/017-graph-search.md).
    const second = isPaired ? nextToExpand(first + 1, end) : end, hasSecond = second < end;
    let matches = markExpanded(first);
    if (hasSecond) matches += markExpanded(second);
    let fresh = gatherNeighbors(beamSlot(first), 0);
    if (hasSecond) fresh = gatherNeighbors(beamSlot(second), fresh);
    expanded += 1 + <i32>hasSecond;
    at = min((hasSecond ? second : first) + 1, offerBatch(fresh, bitmap));
    if (patience != 0) stableFor = isStable() ? stableFor + matches : 0;
  }
  store<u32>(scratch, load<u32>(scratch, SEARCH_NODES) + expanded, SEARCH_NODES);
}

/** The first position from `from` on with an unexpanded node; `end` or more when there is none. */
@inline
function nextToExpand(from: i32, end: i32): i32 {
  while (from < end && (load<u64>(entryAddress(from)) & EXPANDED) != 0) from++;
  return from;
}

/** Marks the node at a position as expanded, and prefetches its edges. @returns 1 when it matches, else 0 */
@inline
function markExpanded(at: i32): i32 {
  const insertEntry = entryAddress(at), entry = load<u64>(insertEntry);
  store<u64>(insertEntry, entry | EXPANDED);
  const node = nodeAddress(slotOf(entry)), end = edgeAddress(node, maxDegree);
  for (let line = node; line < end; line += 64) load<u8>(line);
  return <i32>((entry & MATCHING) >> 1);
}

@inline
function gatherNeighbors(slot: u32, fresh: i32): i32 {
  const node = nodeAddress(slot), degree = degreeOf(node);
  for (let edge = 0; edge < degree; edge++) fresh = gather(load<u32>(edgeAddress(node, edge)) & EDGE_SLOT, fresh);
  return fresh;
}

/** Adds the slot to the batch unless the search has visited it. Branchless, because the outcome is unpredictable. */
@inline
export function gather(slot: u32, fresh: i32): i32 {
  // Ignores slots that were inserted after the caller chose the limit.
  if (slot >= slotLimit) return fresh;
  const word = visited + <usize>((slot >>> 5) << 2);
  const bits = load<u32>(word);
  store<u32>(word, bits | (<u32>1 << (slot & 31)));
  store<u32>(scratch + SLOTS + (<usize>fresh << 2), slot);
  return fresh + <i32>(~(bits >>> (slot & 31)) & 1);
}

/** Measures the batch and inserts the near ones into the beam. @returns the lowest position that changed */
export function offerBatch(count: i32, bitmap: usize): i32 {
  measureBatch(count);
  return offerMeasured(count, bitmap);
}

/** Inserts the near ones of the measured batch into the beam. @returns the lowest position that changed */
export function offerMeasured(count: i32, bitmap: usize): i32 {
  let lowest = i32.MAX_VALUE;
  updateSlackLimit();
  for (let at = 0; at < count; at++) {
    if ((at & 3) == 0 && areFourTooFar(scratch + DISTANCES + (<usize>at << 2))) {
      at += 3;
      continue;
    }
    const slot = load<u32>(scratch + SLOTS + (<usize>at << 2));
    const entry = orderedBits(load<f32>(scratch + DISTANCES + (<usize>at << 2))) | (<u64>slot << SLOT_SHIFT);
    if (isTooFar(entry)) continue;
    const isMatch = bitmap == 0 || testBit(bitmap, slot);
    lowest = min(lowest, insertEntry(entry | (isMatch ? MATCHING : 0)));
  }
  return lowest;
}

/** Measures the nodes in the beam again, exactly, and sorts them, unless this build has measured them exactly already. */
export function refineBeam(): void {
  if (!ASC_FEATURE_RELAXED_SIMD) return;
  measureRoughly(false);
  for (let first = 0; first < beamCount; first += MAX_DEGREE_BOUND) {
    const count = min(MAX_DEGREE_BOUND, beamCount - first);
    for (let at = 0; at < count; at++) store<u32>(batchSlots() + (<usize>at << 2), beamSlot(first + at));
    measureBatch(count);
    for (let at = 0; at < count; at++) {
      const insertEntry = entryAddress(first + at), bits = orderedBits(load<f32>(batchDistances() + (<usize>at << 2)));
      store<u64>(insertEntry, bits | <u64>load<u32>(insertEntry));
    }
  }
  sortEntries(entryAddress(0), beamCount);
}
