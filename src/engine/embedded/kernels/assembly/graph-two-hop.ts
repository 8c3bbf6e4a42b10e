// Walks over wanted nodes alone: where a neighbour is unwanted, its own neighbours take its place, unmeasured itself.
import { LINKS_BOUND, WALK_NODES } from '../constants';
import { beamCount, beamSlot, EXPANDED, hasRested, keepWanted, placeOf, slotOf } from './graph-beam';
import { degreeOf, LINK_SLOT, linkAddress, linksMax, nodeAddress, setBit, testBit } from './graph-state';
import { batchSlots, BUILD_AREA, clearVisited, gather, offerBatch, scratch, slotLimit, visitedBitmap } from './graph-beam-search';

/** Wanted nodes from all over the graph with which such a walk begins, besides those found near the target. */
const SAMPLES: u32 = 32;

/** Unwanted neighbours of one node: address u32 of theirs, slot u32. The builder's area, as searches do not build. */
const HOPS: usize = BUILD_AREA;

/**
 * Goes on from the wanted ones in the beam, until the front has rested for `patience` expansions (0 = never). An expansion
 * stops to read lists of links when it has met `enough` new nodes.
 */
export function hopOver(bitmap: usize, patience: i32, enough: i32): void {
  keepWanted();
  clearVisited();
  for (let at = 0; at < beamCount; at++) setBit(visitedBitmap(), beamSlot(at));
  offerBatch(gatherSamples(bitmap), bitmap);
  let expanded = 0, idle = 0;
  for (let at = 0; at < beamCount; ) {
    const entry = load<u64>(placeOf(at));
    if (entry & EXPANDED) {
      at++;
      continue;
    }
    store<u64>(placeOf(at), entry | EXPANDED);
    expanded++;
    at = min(at + 1, expand(slotOf(entry), bitmap, enough));
    if (patience == 0) continue;
    idle = hasRested() ? idle + 1 : 0;
    if (idle >= patience) break;
  }
  store<u32>(scratch, load<u32>(scratch, WALK_NODES) + expanded, WALK_NODES);
}

/** Puts some wanted slots, spread over all, in the batch. */
function gatherSamples(bitmap: usize): i32 {
  const words = (slotLimit + 31) >>> 5;
  let fresh = 0;
  for (let sample: u32 = 0; sample < SAMPLES; sample++) {
    const end = <u32>((<u64>(sample + 1) * <u64>words) / SAMPLES);
    for (let word = <u32>((<u64>sample * <u64>words) / SAMPLES); word < end; word++) {
      const bits = load<u32>(bitmap + (<usize>word << 2));
      if (bits == 0) continue;
      fresh = gather((word << 5) + ctz(bits), fresh);
      break;
    }
  }
  return fresh;
}

/** Offers the wanted nodes within two links that the walk has not met. @returns the lowest place that changed */
function expand(slot: u32, bitmap: usize, enough: i32): i32 {
  const node = nodeAddress(slot), degree = degreeOf(node);
  let fresh = 0, hops = 0, met = 0, lowest = i32.MAX_VALUE;
  for (let link = 0; link < degree; link++) {
    const other = load<u32>(linkAddress(node, link)) & LINK_SLOT;
    if (other >= slotLimit) continue;
    if (testBit(bitmap, other)) fresh = gather(other, fresh);
    else if (!testBit(visitedBitmap(), other)) noteHop(other, hops++);
  }
  for (let hop = 0; hop < hops && met + fresh < enough; hop++) {
    const place = scratch + HOPS + (<usize>hop << 3);
    if (fresh + linksMax > LINKS_BOUND) {
      met += fresh;
      lowest = min(lowest, offerBatch(fresh, bitmap));
      fresh = 0;
    }
    setBit(visitedBitmap(), load<u32>(place, 4));
    fresh = gatherWanted(load<u32>(place), bitmap, fresh);
  }
  return min(lowest, offerBatch(fresh, bitmap));
}

/** Notes an unwanted neighbour, and touches its links, so that they are here when they are read. */
@inline
function noteHop(slot: u32, hops: i32): void {
  const node = nodeAddress(slot), place = scratch + HOPS + (<usize>hops << 3);
  store<u32>(place, <u32>node);
  store<u32>(place, slot, 4);
  const end = linkAddress(node, linksMax);
  for (let line = node; line < end; line += 64) load<u8>(line);
}

/** Adds the wanted neighbours of a node that the walk has not met to the batch. */
@inline
function gatherWanted(node: usize, bitmap: usize, fresh: i32): i32 {
  const visited = visitedBitmap(), slots = batchSlots(), degree = degreeOf(node);
  for (let link = 0; link < degree; link++) {
    const slot = load<u32>(linkAddress(node, link)) & LINK_SLOT;
    if (slot >= slotLimit) continue;
    const at = <usize>((slot >>> 5) << 2);
    const wanted = load<u32>(bitmap + at) & (<u32>1 << (slot & 31)), met = load<u32>(visited + at);
    store<u32>(visited + at, met | wanted);
    store<u32>(slots + (<usize>fresh << 2), slot);
    fresh += <i32>((wanted & ~met) != 0);
  }
  return fresh;
}
