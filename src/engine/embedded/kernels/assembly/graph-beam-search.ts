// Beam search: expands the nearest node not yet expanded until the best ones found have all been.
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
  isStable,
  isTooFar,
  openBeam,
  orderedBits,
  insertEntry,
  entryAddress,
  SLOT_SHIFT,
  slotOf,
  MATCHING,
} from './graph-beam';
import { measureRoughly, measureRows, measureRun } from './graph-distance';
import { degreeOf, testBit, EDGE_SLOT, edgeAddress, maxDegree, nodeAddress } from './graph-state';
import { sortEntries } from './sort';

/** Fixed areas of the scratch: slots u32, distances f32 and places u64 of one batch; the rest is the builder's. */
const BATCH: usize = MAX_DEGREE_BOUND + 8;
const SLOTS: usize = 64;
const DISTANCES: usize = SLOTS + 4 * BATCH;
const ADDRESSES: usize = DISTANCES + 4 * BATCH;
export const BUILD_AREA: usize = ADDRESSES + 8 * BATCH;

export let scratch: usize = 0;
export let slotLimit: u32 = 0;
let visited: usize = 0;

/** Sets where the walks that follow work: room for `beamCapacity` entries of a beam, and slots below `limit`. */
export function openScratch(address: usize, beamCapacity: i32, limit: u32): void {
  scratch = address;
  slotLimit = limit;
  openBeam(address + SEARCH_FIXED_BYTES, beamCapacity);
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

/** Measures the batch's first `count` slots from the target. */
export function measureBatch(count: i32): void {
  measureRows(scratch + SLOTS, count, scratch + DISTANCES, scratch + ADDRESSES);
  store<u32>(scratch, load<u32>(scratch, SEARCH_DISTANCES) + <u32>count, SEARCH_DISTANCES);
}

/** Measures `count` slots from `first` on, roughly, as if they were the batch's first. */
export function measureRunAsBatch(first: u32, count: i32): void {
  for (let at = 0; at < count; at++) store<u32>(scratch + SLOTS + (<usize>at << 2), first + at);
  measureRun(first, count, scratch + DISTANCES, scratch + ADDRESSES);
  store<u32>(scratch, load<u32>(scratch, SEARCH_DISTANCES) + <u32>count, SEARCH_DISTANCES);
}

/**
 * Walks through wanted and unwanted nodes alike, until the first `depth` entries are all expanded, or the front has rested
 * for `patience` expansions of wanted ones (0 = never).
 */
export function expandAll(bitmap: usize, patience: i32, depth: i32): void {
  // Two lists of links must fit a batch.
  const isPaired = maxDegree << 1 <= MAX_DEGREE_BOUND;
  let expanded = 0, stableFor = 0;
  for (let at = 0; ; ) {
    const end = min(beamCount, depth), first = nextToExpand(at, end);
    if (first >= end) break;
    // Two at a time: their links, and then the rows that these lead to, load together (docs/decisions/017-graph-search.md).
    const second = isPaired ? nextToExpand(first + 1, end) : end, hasSecond = second < end;
    let matches = markExpanded(first);
    if (hasSecond) matches += markExpanded(second);
    let fresh = gatherNeighbors(beamSlot(first), 0);
    if (hasSecond) fresh = gatherNeighbors(beamSlot(second), fresh);
    expanded += 1 + <i32>hasSecond;
    at = min((hasSecond ? second : first) + 1, offerBatch(fresh, bitmap));
    if (patience == 0) continue;
    stableFor = isStable() ? stableFor + matches : 0;
    if (stableFor >= patience) break;
  }
  store<u32>(scratch, load<u32>(scratch, SEARCH_NODES) + expanded, SEARCH_NODES);
}

/** The first place from `from` on whose node is to be expanded; `end` or more when there is none. */
@inline
function nextToExpand(from: i32, end: i32): i32 {
  while (from < end && (load<u64>(entryAddress(from)) & EXPANDED) != 0) from++;
  return from;
}

/** Marks the node of a place as expanded, and reads its links ahead. @returns 1 when it is wanted, else 0 */
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

/** Adds the slot to the batch unless the walk has met it; without a branch on that, as it cannot be predicted. */
@inline
export function gather(slot: u32, fresh: i32): i32 {
  // Slots that came after the caller's look at the graph do not count.
  if (slot >= slotLimit) return fresh;
  const word = visited + <usize>((slot >>> 5) << 2);
  const bits = load<u32>(word);
  store<u32>(word, bits | (<u32>1 << (slot & 31)));
  store<u32>(scratch + SLOTS + (<usize>fresh << 2), slot);
  return fresh + <i32>(~(bits >>> (slot & 31)) & 1);
}

/** Measures the batch and puts what is near enough in the beam. @returns the lowest place that changed */
export function offerBatch(count: i32, bitmap: usize): i32 {
  measureBatch(count);
  return offerMeasured(count, bitmap);
}

/** Puts what of the batch, measured, is near enough in the beam. @returns the lowest place that changed */
export function offerMeasured(count: i32, bitmap: usize): i32 {
  let lowest = i32.MAX_VALUE;
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

/** Measures what is in the beam anew, no longer roughly, and puts it in that order. */
export function refineBeam(): void {
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
