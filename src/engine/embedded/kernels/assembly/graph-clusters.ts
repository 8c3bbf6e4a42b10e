// Regions of a graph: centres, each with a list of the samples nearest to it, one slot in 2^SAMPLE_SHIFT. An inverted file
// (Sivic and Zisserman, ICCV 2003) of so few rows that all centres can be measured.
import {
  GRAPH_BYTES,
  GRAPH_CODE_FRAMES,
  GRAPH_COUNT,
  GRAPH_REGIONS,
  LINKS_BOUND,
  META_ROW,
  REGION_BITS,
  REGION_LINKS,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from '../constants';
import { beamCount, resetBeam } from './graph-beam';
import { targetRow } from './graph-distance';
import { gatherLikely } from './graph-shortlist';
import { hasSketches, sketchBytesOf, sketchesPerFrame, sketchRow } from './graph-binary-codes';
import {
  compareByDistance,
  graph,
  isPresent,
  openGraph,
  regions,
  rowAddresses,
  shapeNodes,
  testBit,
} from './graph-state';
import { batchDistances, measureBatch, measureRunAsBatch, offerMeasured, openScratch } from './graph-beam-search';

/** Stands for the region of a sample that has none. */
const NONE: u32 = 0xffffffff;

/**
 * Writes the header of the regions, `count` of them, of the graph `owner`: their centres are encoded rows in the frames of
 * `codeFrames`, the links between samples lie in blocks, zeroed, behind `linkBlocks`, sketches of `bits` bits (0 for none) in
 * the frames, zeroed, of `sketchFrames`. All lists are empty, and sketches are yet to be made.
 */
export function initRegions(
  target: usize,
  owner: usize,
  count: i32,
  codeFrames: usize,
  linkBlocks: usize,
  sketchFrames: usize,
  bits: u32,
): void {
  memory.copy(target, owner, GRAPH_BYTES);
  store<usize>(target, codeFrames, GRAPH_CODE_FRAMES);
  store<usize>(target, linkBlocks, REGION_LINKS);
  store<u32>(target, bits, REGION_BITS);
  const sketchBytes = sketchBytesOf(bits);
  shapeNodes(target, sketchFrames, sketchBytes, sketchesPerFrame(sketchBytes));
  store<i32>(target, count, GRAPH_COUNT);
  store<usize>(target, 0, GRAPH_REGIONS);
  openGraph(target);
  for (let region = 0; region < count; region++) atomic.store<u32>(headAddress(region), 0);
}

/** Where the open regions' one has its first sample + 1. */
@inline
function headAddress(region: u32): usize {
  return <usize>(rowAddresses(region) >> 32) + META_ROW;
}

/** Of the open regions. @returns the first sample + 1, or 0 */
@inline
export function firstSampleOf(region: u32): u32 {
  return atomic.load<u32>(headAddress(region));
}

/** The sample (+ 1) that follows this one (+ 1) in its region, or 0; of the open graph. */
@inline
export function nextSample(sample: u32): u32 {
  return atomic.load<u32>(linkAddressOf(load<usize>(regions, REGION_LINKS), sample - 1));
}

@inline
function linkAddressOf(blocks: usize, sample: u32): usize {
  const block = load<u32>(blocks + <usize>((sample / SAMPLES_PER_BLOCK) << 2));
  return <usize>(block + ((sample % SAMPLES_PER_BLOCK) << 2));
}

/**
 * Fills the beam with the `most` of the open regions whose centres are nearest to the target, which is sketched. Of many,
 * only the likely ones by their sketches are measured. @returns how many
 */
export function nearestRegions(most: i32): i32 {
  const count = load<u32>(graph, GRAPH_COUNT);
  resetBeam(most, i32.MAX_VALUE, 0);
  if (hasSketches(graph) && count > <u32>LINKS_BOUND) {
    const fresh = gatherLikely(most);
    measureBatch(fresh);
    offerMeasured(fresh, 0);
    return beamCount;
  }
  for (let from: u32 = 0; from < count; from += LINKS_BOUND) offerMeasured(measureFrom(from, count), 0);
  return beamCount;
}

/** Measures regions from `from` on, as many as fit the batch. @returns how many */
@inline
function measureFrom(from: u32, count: u32): i32 {
  const fresh = <i32>min(count - from, <u32>LINKS_BOUND);
  measureRunAsBatch(from, fresh);
  return fresh;
}

/** Of the open regions, the one whose centre is nearest to the target. */
function nearestRegion(): u32 {
  const count = load<u32>(graph, GRAPH_COUNT);
  let least: f32 = Infinity, nearest: u32 = 0;
  for (let from: u32 = 0; from < count; from += LINKS_BOUND) {
    const fresh = measureFrom(from, count);
    for (let at = 0; at < fresh; at++) {
      const distance = load<f32>(batchDistances() + (<usize>at << 2));
      if (!(distance < least)) continue;
      least = distance;
      nearest = from + at;
    }
  }
  return nearest;
}

/** The region of the open graph's slot among those at `target`, which are then open. */
function regionOf(slot: u32, target: usize): u32 {
  targetRow(slot);
  openGraph(target);
  compareByDistance();
  return nearestRegion();
}

/**
 * Writes the regions u32 at `target` that the samples from..until of the graph `owner` belong to, to `to`; 0xffffffff for those
 * that are not in the graph.
 */
export function assignSamples(owner: usize, target: usize, from: u32, until: u32, to: usize, address: usize): void {
  openScratch(address, 0, 0);
  for (let sample = from; sample < until; sample++) {
    openGraph(owner);
    const slot = sample << SAMPLE_SHIFT;
    store<u32>(to + (<usize>(sample - from) << 2), isPresent(slot) ? regionOf(slot, target) : NONE);
  }
}

/** Puts the samples from..until in the lists of the regions that `assigned` says. Nobody else may do so meanwhile. */
export function linkSamples(target: usize, from: u32, until: u32, assigned: usize): void {
  openGraph(target);
  for (let sample = from; sample < until; sample++) {
    const region = load<u32>(assigned + (<usize>(sample - from) << 2));
    if (region != NONE) push(sample, region);
  }
}

/** Puts a slot of the open graph that is a sample in the list of its region; several threads may do this at once. */
export function noteSample(slot: u32): void {
  const below = graph;
  if (regions == 0 || (slot & ((1 << SAMPLE_SHIFT) - 1)) != 0) return;
  const target = regions, sample = slot >>> SAMPLE_SHIFT;
  if (hasSketches(target)) {
    sketchRow(slot, target, load<u32>(target, GRAPH_COUNT) + sample);
    openGraph(below);
  }
  push(sample, regionOf(slot, target));
  openGraph(below);
}

/** In the open regions. */
function push(sample: u32, region: u32): void {
  const head = headAddress(region), link = linkAddressOf(load<usize>(graph, REGION_LINKS), sample);
  for (;;) {
    const first = atomic.load<u32>(head);
    atomic.store<u32>(link, first);
    if (atomic.cmpxchg<u32>(head, first, sample + 1) == first) return;
  }
}

/** Takes the samples that are not in the bitmap out of their lists. Others may read these, nobody may add to them. */
export function dropSamples(live: usize): void {
  const below = graph;
  if (regions == 0) return;
  openGraph(regions);
  const count = load<u32>(graph, GRAPH_COUNT), blocks = load<usize>(graph, REGION_LINKS);
  for (let region: u32 = 0; region < count; region++) {
    let place = headAddress(region);
    for (let sample = load<u32>(place); sample != 0; sample = load<u32>(place)) {
      const link = linkAddressOf(blocks, sample - 1);
      if (testBit(live, (sample - 1) << SAMPLE_SHIFT)) place = link;
      // Whoever stands on the sample goes on by its link, which stays.
      else atomic.store<u32>(place, load<u32>(link));
    }
  }
  openGraph(below);
}
