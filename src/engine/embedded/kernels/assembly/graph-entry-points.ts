// Where walks begin: at those of a sample of the rows that are nearest to the target. The sample is kept by regions.
import {
  GRAPH_COUNT,
  GRAPH_ENTRIES,
  GRAPH_ENTRIES_MAX,
  GRAPH_ENTRY_COUNT,
  LINKS_BOUND,
  SAMPLE_SHIFT,
  WALK_BEGINNINGS,
  WALK_BEGINNINGS_MAX,
  WALK_REGIONS,
  WALK_REGIONS_MAX,
} from '../constants';
import { beamCount, beamSlot, boundBeam, resetBeam } from './graph-beam';
import { firstSampleOf, nearestRegions, nextSample } from './graph-clusters';
import { estimateBatch, hasSketches, sketchTarget } from './graph-binary-codes';
import { graph, isPresent, openGraph, regions, testBit } from './graph-state';
import {
  batchSlots,
  clearVisited,
  gather,
  measureBatch,
  offerBatch,
  offerMeasured,
  passThrough,
  scratch,
  slotLimit,
} from './graph-beam-search';

/** Regions, nearest first, whose samples are measured, at least; and where ways in from afar are looked for. */
const PROBED: i32 = 8;
const PROBED_AFAR: i32 = 24;
/**
 * Samples measured at least: of small regions more are looked at, as what is wanted may lie in several directions. And at
 * most: a region of many copies has no end.
 */
const SAMPLES_MIN: i32 = 128;
const SAMPLES_MAX: i32 = 512;
/** How many samples are looked through for wanted ones. */
const LOOKED_MAX: i32 = 16384;
/** Nearest samples at which a walk begins, and how many of these may be at one distance. */
const NEAREST: i32 = 8;
const TIES: i32 = 2;

let beginnings: i32 = 0;
let looked: i32 = 0;
let measured: i32 = 0;
/** True where estimates do for samples: several are kept, and then measured. */
let bySketches: bool = false;

/**
 * Fills the beam with the `keep` nearest wanted nodes found, and the unwanted ones between them, nearest first.
 * `bitmap` tells which slots are wanted (0 = all); `ties` is how many wanted ones at one distance it takes at most.
 * @returns entries of the beam
 */
export function walk(keep: i32, bitmap: usize, ties: i32): i32 {
  findBeginnings(bitmap);
  resetBeam(keep, ties, 0);
  enter(bitmap);
  passThrough(bitmap, 0, i32.MAX_VALUE);
  return beamCount;
}

/** Looks for wanted samples near the target. Uses the beam. */
export function findBeginnings(bitmap: usize): void {
  beginnings = 0;
  if (regions == 0) return;
  const places = boundBeam(WALK_REGIONS_MAX);
  const count = openRegions(bitmap == 0 ? regionsWorthLooking() : WALK_REGIONS_MAX);
  looked = 0, measured = 0, bySketches = hasSketches(regions);
  resetBeam(NEAREST, TIES, 0);
  let fresh = 0;
  for (let at = 0; at < count && (at < PROBED || measured + fresh < SAMPLES_MIN); at++) {
    fresh = gatherRegion(at, bitmap, fresh);
  }
  offerSamples(fresh);
  for (let at = 0; at < beamCount; at++) begin(beamSlot(at));
  boundBeam(places);
}

/** As many regions as have samples enough, by their usual size. */
function regionsWorthLooking(): i32 {
  const each = (slotLimit >>> SAMPLE_SHIFT) / max<u32>(1, load<u32>(regions, GRAPH_COUNT));
  return max(PROBED, min(WALK_REGIONS_MAX, SAMPLES_MIN / max<i32>(1, each)));
}

/** Looks for the nearest sample in each of more regions. @returns how many beginnings there are, for `walkAside` */
export function findBeginningsAfar(): i32 {
  beginnings = 0;
  if (regions == 0) return 0;
  const places = boundBeam(WALK_REGIONS_MAX);
  const count = openRegions(PROBED_AFAR);
  for (let at = 0; at < count; at++) {
    looked = 0, measured = 0, bySketches = false;
    resetBeam(1, 1, 0);
    offerSamples(gatherRegion(at, 0, 0));
    if (beamCount > 0) begin(beamSlot(0));
  }
  boundBeam(places);
  return beginnings;
}

/** Notes the first samples of the regions nearest to the target. @returns how many regions these are */
function openRegions(most: i32): i32 {
  const below = graph;
  openGraph(regions);
  if (hasSketches(graph)) sketchTarget();
  const count = nearestRegions(most);
  for (let at = 0; at < count; at++) {
    store<u32>(scratch + (<usize>at << 2), firstSampleOf(beamSlot(at)), WALK_REGIONS);
  }
  openGraph(below);
  return count;
}

/** Adds the wanted samples of a region to the batch, which is offered each time it is full. @returns how many are in it */
function gatherRegion(at: i32, bitmap: usize, fresh: i32): i32 {
  let sample = load<u32>(scratch + (<usize>at << 2), WALK_REGIONS);
  for (; sample != 0 && measured < SAMPLES_MAX && looked < LOOKED_MAX; sample = nextSample(sample)) {
    looked++;
    const slot = (sample - 1) << SAMPLE_SHIFT;
    if (slot >= slotLimit || (bitmap != 0 && !testBit(bitmap, slot))) continue;
    store<u32>(batchSlots() + (<usize>fresh << 2), slot);
    if (++fresh < LINKS_BOUND) continue;
    offerSamples(fresh);
    fresh = 0;
  }
  return fresh;
}

function offerSamples(count: i32): void {
  if (bySketches) estimateBatch(count);
  else measureBatch(count);
  // All that were gathered are wanted.
  offerMeasured(count, 0);
  measured += count;
}

function begin(slot: u32): void {
  if (beginnings == WALK_BEGINNINGS_MAX) return;
  store<u32>(scratch + (<usize>beginnings << 2), slot, WALK_BEGINNINGS);
  beginnings++;
}

/**
 * Fills the beam with the `keep` nearest nodes found from the beginning `at` on, without those that any walk has met since
 * the last that began anew: so that each ends in a region of its own.
 * @returns entries of the beam
 */
export function walkAside(at: i32, keep: i32, ties: i32): i32 {
  const slot = load<u32>(scratch + (<usize>at << 2), WALK_BEGINNINGS);
  resetBeam(keep, ties, 0);
  if (slot >= slotLimit || !isPresent(slot)) return 0;
  offerBatch(gather(slot, 0), 0);
  passThrough(0, 0, i32.MAX_VALUE);
  return beamCount;
}

/** Begins a walk, in an empty beam: measures where it enters the graph. */
export function enter(bitmap: usize): void {
  clearVisited();
  let fresh = 0;
  for (let at = 0; at < beginnings; at++) {
    const slot = load<u32>(scratch + (<usize>at << 2), WALK_BEGINNINGS);
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  // Entries are few and far between: of use where there are no samples.
  const entries = beginnings < NEAREST ? min(atomic.load<u32>(graph, GRAPH_ENTRY_COUNT), <u32>GRAPH_ENTRIES_MAX) : 0;
  for (let at: u32 = 0; at < entries; at++) {
    const slot = atomic.load<u32>(graph + (<usize>at << 2), GRAPH_ENTRIES);
    // An entry that another thread is about to note reads as 0.
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  offerBatch(fresh, bitmap);
}
