// Two-hop expansion (Patel et al., "ACORN", SIGMOD 2024): searches matching nodes alone. The neighbors of a
// non-matching neighbor take its place; it is not measured itself.
import { MAX_DEGREE_BOUND, SEARCH_NODES } from '../constants';
import { beamCount, beamSlot, EXPANDED, isBeyondSlack, isStable, keepMatches, entryAddress, slotOf } from './graph-beam';
import { degreeOf, EDGE_SLOT, edgeAddress, maxDegree, nodeAddress, setBit, testBit } from './graph-state';
import { batchSlots, BUILD_AREA, clearVisited, gather, offerBatch, scratch, slotLimit, visitedBitmap } from './graph-beam-search';
import { SPREAD_MATCHES } from './search-tuning';


/**
 * Non-matching neighbors of one node: address u32 of theirs, slot u32. Shares the area of construction, as searches do
 * not build.
 */
const HOPS: usize = BUILD_AREA;

/**
 * Continues from the matches in the beam until its front has been stable for `patience` expansions (0 for no such
 * limit) and all that is left lies beyond the slack. The expansion of a node stops reading edges at `expansionMax` new nodes.
 */
export function traverseTwoHop(bitmap: usize, patience: i32, expansionMax: i32): void {
  keepMatches();
  clearVisited();
  for (let at = 0; at < beamCount; at++) setBit(visitedBitmap(), beamSlot(at));
  offerBatch(gatherSpreadMatches(bitmap), bitmap);
  let expanded = 0, stableFor = 0;
  for (let at = 0; at < beamCount; ) {
    const entry = load<u64>(entryAddress(at));
    if (entry & EXPANDED) {
      at++;
      continue;
    }
    if (patience != 0 && stableFor >= patience && isBeyondSlack(at)) break;
    store<u64>(entryAddress(at), entry | EXPANDED);
    expanded++;
    at = min(at + 1, expand(slotOf(entry), bitmap, expansionMax));
    if (patience != 0) stableFor = isStable() ? stableFor + 1 : 0;
  }
  store<u32>(scratch, load<u32>(scratch, SEARCH_NODES) + expanded, SEARCH_NODES);
}

/** Puts some matching slots, evenly spaced over all, in the batch. */
function gatherSpreadMatches(bitmap: usize): i32 {
  const words = (slotLimit + 31) >>> 5;
  let fresh = 0;
  for (let sample: u32 = 0; sample < SPREAD_MATCHES; sample++) {
    const end = <u32>((<u64>(sample + 1) * <u64>words) / SPREAD_MATCHES);
    for (let word = <u32>((<u64>sample * <u64>words) / SPREAD_MATCHES); word < end; word++) {
      const bits = load<u32>(bitmap + (<usize>word << 2));
      if (bits == 0) continue;
      fresh = gather((word << 5) + ctz(bits), fresh);
      break;
    }
  }
  return fresh;
}

/** Offers the unvisited matching nodes within two hops. @returns the lowest position that changed */
function expand(slot: u32, bitmap: usize, expansionMax: i32): i32 {
  const node = nodeAddress(slot), degree = degreeOf(node);
  let fresh = 0, hops = 0, measured = 0, lowest = i32.MAX_VALUE;
  for (let edge = 0; edge < degree; edge++) {
    const other = load<u32>(edgeAddress(node, edge)) & EDGE_SLOT;
    if (other >= slotLimit) continue;
    if (testBit(bitmap, other)) fresh = gather(other, fresh);
    else if (!testBit(visitedBitmap(), other)) addHop(other, hops++);
  }
  for (let hop = 0; hop < hops && measured + fresh < expansionMax; hop++) {
    const hopAddress = scratch + HOPS + (<usize>hop << 3);
    if (fresh + maxDegree > MAX_DEGREE_BOUND) {
      measured += fresh;
      lowest = min(lowest, offerBatch(fresh, bitmap));
      fresh = 0;
    }
    setBit(visitedBitmap(), load<u32>(hopAddress, 4));
    fresh = gatherMatches(load<u32>(hopAddress), bitmap, fresh);
  }
  return min(lowest, offerBatch(fresh, bitmap));
}

/** Notes a non-matching neighbor, and prefetches its edges. */
@inline
function addHop(slot: u32, hops: i32): void {
  const node = nodeAddress(slot), hopAddress = scratch + HOPS + (<usize>hops << 3);
  store<u32>(hopAddress, <u32>node);
  store<u32>(hopAddress, slot, 4);
  const end = edgeAddress(node, maxDegree);
  for (let line = node; line < end; line += 64) load<u8>(line);
}

/** Adds the unvisited matching neighbors of a node to the batch. */
@inline
function gatherMatches(node: usize, bitmap: usize, fresh: i32): i32 {
  const visited = visitedBitmap(), slots = batchSlots(), degree = degreeOf(node);
  for (let edge = 0; edge < degree; edge++) {
    const slot = load<u32>(edgeAddress(node, edge)) & EDGE_SLOT;
    if (slot >= slotLimit) continue;
    const at = <usize>((slot >>> 5) << 2);
    const matching = load<u32>(bitmap + at) & (<u32>1 << (slot & 31)), measured = load<u32>(visited + at);
    store<u32>(visited + at, measured | matching);
    store<u32>(slots + (<usize>fresh << 2), slot);
    fresh += <i32>((matching & ~measured) != 0);
  }
  return fresh;
}
