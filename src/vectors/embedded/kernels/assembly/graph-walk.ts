// Beam search: expands the nearest node not yet expanded until the best ones found have all been.
import {
  BEAM_ENTRY_BYTES,
  GRAPH_ENTRIES,
  GRAPH_ENTRY_COUNT,
  LINKS_BOUND,
  WALK_DISTANCES,
  WALK_FIXED_BYTES,
  WALK_NODES,
} from '../constants';
import { measureRows, targetQuery } from './graph-distance';
import { QUERY_RESIDUAL_FACTOR } from './query';
import { degreeOf, graph, LINK_SLOT, linkAddress, nodeAddress, openGraph, testBit } from './graph-state';

/** Fixed areas of the scratch: slots u32, distances f32 and places u64 of one batch; the rest is the builder's. */
const BATCH: usize = LINKS_BOUND + 8;
const SLOTS: usize = 64;
const DISTANCES: usize = SLOTS + 4 * BATCH;
const PLACES: usize = DISTANCES + 4 * BATCH;
export const BUILD_AREA: usize = PLACES + 8 * BATCH;

/** Bits of a beam's entry, below its distance (32 bits, ordered) and its slot. */
const EXPANDED: u64 = 1;
const WANTED: u64 = 2;
const SLOT_SHIFT: u64 = 2;

export let scratch: usize = 0;
let beam: usize = 0;
let visited: usize = 0;
let slotLimit: u32 = 0;
let capacity: i32 = 0;
let width: i32 = 0;
let beamCount: i32 = 0;
let wantedCount: i32 = 0;
let tiesMax: i32 = 0;
/** A walk ends early when its first `settled` wanted ones have not changed for `patience` expansions; 0 = never. */
let settled: i32 = 0;
let patience: i32 = 0;
/** The last of the first `settled` wanted entries: what comes before it changes them. */
let settledEntry: u64 = 0;
let isChanged: bool = false;

/** Sets where the walks that follow work: room for `places` entries of a beam, and slots below `limit`. */
export function openScratch(address: usize, places: i32, limit: u32): void {
  scratch = address;
  capacity = places;
  slotLimit = limit;
  beam = address + WALK_FIXED_BYTES;
  visited = beam + <usize>(places + 1) * BEAM_ENTRY_BYTES;
  store<u32>(address, 0, WALK_NODES);
  store<u32>(address, 0, WALK_DISTANCES);
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
  measureRows(scratch + SLOTS, count, scratch + DISTANCES, scratch + PLACES);
  store<u32>(scratch, load<u32>(scratch, WALK_DISTANCES) + <u32>count, WALK_DISTANCES);
}

@inline
export function beamSlot(at: i32): u32 {
  return <u32>load<u64>(beam + (<usize>at << 3)) >>> <u32>SLOT_SHIFT;
}

@inline
export function beamDistance(at: i32): f32 {
  return distanceOf(load<u64>(beam + (<usize>at << 3)));
}

/** Undoes `orderedBits`. */
@inline
export function distanceOf(entry: u64): f32 {
  const ordered = <u32>(entry >> 32);
  return reinterpret<f32>(ordered ^ (<u32>(<i32>~ordered >> 31) | 0x80000000));
}

/** A distance as high bits that order as it does. */
@inline
export function orderedBits(distance: f32): u64 {
  const bits = reinterpret<u32>(distance);
  return <u64>(bits ^ (<u32>(<i32>bits >> 31) | 0x80000000)) << 32;
}

/**
 * Fills the beam with the `keep` nearest wanted nodes found, and the unwanted ones between them, nearest first.
 * `bitmap` tells which slots are wanted (0 = all); `ties` is how many wanted ones at one distance it takes at most.
 * @returns entries of the beam
 */
export function walk(keep: i32, bitmap: usize, ties: i32): i32 {
  tiesMax = ties;
  settledEntry = u64.MAX_VALUE;
  width = min(keep, capacity);
  beamCount = 0;
  wantedCount = 0;
  clearVisited();
  const entries = load<u32>(graph, GRAPH_ENTRY_COUNT);
  let fresh = 0;
  for (let at: u32 = 0; at < entries; at++) {
    fresh = gather(atomic.load<u32>(graph + (<usize>at << 2), GRAPH_ENTRIES), fresh);
  }
  offerBatch(fresh, bitmap);
  let expanded = 0, idle = 0;
  for (let at = 0; at < beamCount; ) {
    const place = beam + (<usize>at << 3);
    const entry = load<u64>(place);
    if (entry & EXPANDED) {
      at++;
      continue;
    }
    store<u64>(place, entry | EXPANDED);
    expanded++;
    const node = nodeAddress(<u32>entry >>> <u32>SLOT_SHIFT);
    const degree = degreeOf(node);
    fresh = 0;
    for (let link = 0; link < degree; link++) fresh = gather(load<u32>(linkAddress(node, link)) & LINK_SLOT, fresh);
    at = min(at + 1, offerBatch(fresh, bitmap));
    if (patience == 0) continue;
    idle = isChanged ? 0 : idle + 1;
    if (isChanged) noteSettled();
    if (idle >= patience && wantedCount >= settled) break;
  }
  store<u32>(scratch, load<u32>(scratch, WALK_NODES) + expanded, WALK_NODES);
  return beamCount;
}

/** Adds the slot to the batch unless the walk has met it; without a branch on that, as it cannot be predicted. */
@inline
function gather(slot: u32, fresh: i32): i32 {
  // Slots that came after the caller's look at the graph do not count.
  if (slot >= slotLimit) return fresh;
  const word = visited + <usize>((slot >>> 5) << 2);
  const bits = load<u32>(word);
  store<u32>(word, bits | (<u32>1 << (slot & 31)));
  store<u32>(scratch + SLOTS + (<usize>fresh << 2), slot);
  return fresh + <i32>(~(bits >>> (slot & 31)) & 1);
}

/** Measures the batch and puts what is near enough in the beam. @returns the lowest place that changed */
@inline
function offerBatch(count: i32, bitmap: usize): i32 {
  measureBatch(count);
  let lowest = i32.MAX_VALUE;
  for (let at = 0; at < count; at++) {
    const slot = load<u32>(scratch + SLOTS + (<usize>at << 2));
    const entry = orderedBits(load<f32>(scratch + DISTANCES + (<usize>at << 2))) | (<u64>slot << SLOT_SHIFT);
    if (isFull() && entry >= load<u64>(beam + (<usize>(beamCount - 1) << 3))) continue;
    const isWanted = bitmap == 0 || testBit(bitmap, slot);
    lowest = min(lowest, place(entry | (isWanted ? WANTED : 0)));
  }
  return lowest;
}

/** Finds the last of the first `settled` wanted entries anew. */
function noteSettled(): void {
  isChanged = false;
  settledEntry = u64.MAX_VALUE;
  if (wantedCount < settled) return;
  let left = settled;
  for (let at = 0; at < beamCount; at++) {
    settledEntry = load<u64>(beam + (<usize>at << 3));
    left -= <i32>((settledEntry & WANTED) >> 1);
    if (left == 0) return;
  }
}

@inline
function isFull(): bool {
  return wantedCount >= width || beamCount >= capacity;
}

/** Puts an entry at its place and drops what is then too far. @returns its place */
@inline
function place(entry: u64): i32 {
  let low = 0, high = beamCount;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u64>(beam + (<usize>middle << 3)) < entry) low = middle + 1;
    else high = middle;
  }
  const at = beam + (<usize>low << 3);
  if (isCrowded(low, entry)) return i32.MAX_VALUE;
  memory.copy(at + 8, at, <usize>(beamCount - low) << 3);
  store<u64>(at, entry);
  beamCount++;
  if ((entry & WANTED) != 0 && entry < settledEntry) isChanged = true;
  wantedCount += <i32>((entry & WANTED) >> 1);
  while (wantedCount > width || beamCount > capacity) {
    beamCount--;
    wantedCount -= <i32>((load<u64>(beam + (<usize>beamCount << 3)) & WANTED) >> 1);
  }
  return low;
}

/** True when the beam holds enough wanted entries of this distance: equal rows would crowd out all others. */
@inline
function isCrowded(at: i32, entry: u64): bool {
  return (entry & WANTED) != 0 && tiesBelow(at, entry) + tiesFrom(at, entry) >= tiesMax;
}

@inline
function tiesBelow(at: i32, entry: u64): i32 {
  let ties = 0;
  while (--at >= 0 && isSameDistance(at, entry)) ties += isWantedAt(at);
  return ties;
}

@inline
function tiesFrom(at: i32, entry: u64): i32 {
  let ties = 0;
  for (; at < beamCount && isSameDistance(at, entry); at++) ties += isWantedAt(at);
  return ties;
}

@inline
function isSameDistance(at: i32, entry: u64): bool {
  return load<u64>(beam + (<usize>at << 3)) >>> 32 == entry >>> 32;
}

@inline
function isWantedAt(at: i32): i32 {
  return <i32>((load<u64>(beam + (<usize>at << 3)) & WANTED) >> 1);
}

/**
 * Writes the `keep` best wanted nodes found to the places of the beam as (key f32, slot u32), best first; a key is the
 * score by codes, higher = better. @returns their count, or -1 for a query that codes cannot describe
 */
export function searchGraph(
  target: usize,
  query: usize,
  bitmap: usize,
  limit: u32,
  keep: i32,
  ties: i32,
  settledPlaces: i32,
  settledFor: i32,
  address: usize,
  places: i32,
): i32 {
  openGraph(target);
  openScratch(address, places, limit);
  if (load<f32>(query, QUERY_RESIDUAL_FACTOR) == Infinity) return -1;
  targetQuery(query);
  settled = settledPlaces, patience = settledFor;
  const found = walk(keep, bitmap, ties);
  patience = 0;
  let count = 0;
  for (let at = 0; at < found; at++) {
    const entry = load<u64>(beam + (<usize>at << 3));
    if ((entry & WANTED) == 0) continue;
    const to = beam + (<usize>count << 3);
    store<f32>(to, -distanceOf(entry));
    store<u32>(to, <u32>entry >>> <u32>SLOT_SHIFT, 4);
    count++;
  }
  return count;
}
