// Entry points of searches: those of a sample of the rows that are nearest to the target, found through clusters.
import {
  GRAPH_COUNT,
  GRAPH_ENTRY_POINTS,
  GRAPH_ENTRY_POINTS_MAX,
  GRAPH_ENTRY_POINT_COUNT,
  MAX_DEGREE_BOUND,
  SAMPLE_SHIFT,
  SEARCH_ENTRY_POINTS,
  SEARCH_ENTRY_POINTS_MAX,
  SEARCH_CLUSTERS,
  SEARCH_CLUSTERS_MAX,
} from '../constants';
import { beamCount, beamSlot, resizeBeam, resetBeam } from './graph-beam';
import { firstSampleOf, nearestClusters, nextSample } from './graph-clusters';
import { estimateBatch, hasBinaryCodes, binarizeTarget } from './graph-binary-codes';
import { graph, isPresent, openGraph, clusters, testBit } from './graph-state';
import {
  batchSlots,
  clearVisited,
  gather,
  measureBatch,
  offerBatch,
  offerMeasured,
  expandAll,
  scratch,
  slotLimit,
} from './graph-beam-search';
import {
  DISTANT_PROBES,
  ENTRY_POINTS,
  ENTRY_POINT_TIES,
  PROBES_MIN,
  SAMPLES_CHECKED_MAX,
  SAMPLES_MAX,
  SAMPLES_MIN,
} from './search-tuning';


let entryPoints: i32 = 0;
let entryPointsWanted: i32 = 0;
let samplesChecked: i32 = 0;
let samplesMeasured: i32 = 0;
/** True where binary codes may estimate distances: several samples are kept, and measured later. */
let usesBinaryCodes: bool = false;

/**
 * Fills the beam with the `ef` nearest matching nodes found and the non-matching ones between them, nearest first.
 * `bitmap` tells which slots match (0 for all); copies beyond `ties` matching nodes at one distance are left out.
 * @returns the number of entries in the beam
 */
export function beamSearch(ef: i32, bitmap: usize, ties: i32): i32 {
  findEntryPoints(bitmap);
  resetBeam(ef, ties, 0);
  enterGraph(bitmap);
  expandAll(bitmap, 0, i32.MAX_VALUE);
  return beamCount;
}

/** Finds matching samples near the target as entry points. Uses the beam. */
export function findEntryPoints(bitmap: usize): void {
  findEntryPointsBy(PROBES_MIN, bitmap);
}

/** The same by at least so many clusters, up to PROBES_MIN: fewer find fewer entry points, and measure fewer samples. */
export function findEntryPointsBy(probes: i32, bitmap: usize): void {
  entryPoints = 0;
  entryPointsWanted = (ENTRY_POINTS * probes) / PROBES_MIN;
  const samplesMin = (SAMPLES_MIN * probes) / PROBES_MIN;
  if (clusters == 0) return;
  const capacity = resizeBeam(SEARCH_CLUSTERS_MAX);
  const count = openNearestClusters(bitmap == 0 ? clustersToProbe(probes, samplesMin) : SEARCH_CLUSTERS_MAX);
  samplesChecked = 0, samplesMeasured = 0, usesBinaryCodes = hasBinaryCodes(clusters);
  resetBeam(entryPointsWanted, ENTRY_POINT_TIES, 0);
  let fresh = 0;
  for (let at = 0; at < count && (at < probes || samplesMeasured + fresh < samplesMin); at++) {
    fresh = gatherCluster(at, bitmap, fresh);
  }
  offerSamples(fresh);
  for (let at = 0; at < beamCount; at++) addEntryPoint(beamSlot(at));
  resizeBeam(capacity);
}

/** As many clusters as hold enough samples by their average size. */
function clustersToProbe(probes: i32, samplesMin: i32): i32 {
  const samplesPerCluster = (slotLimit >>> SAMPLE_SHIFT) / max<u32>(1, load<u32>(clusters, GRAPH_COUNT));
  return max(probes, min(SEARCH_CLUSTERS_MAX, samplesMin / max<i32>(1, samplesPerCluster)));
}

/** Finds the nearest sample in each of more clusters. @returns the number of entry points, for `beamSearchFrom` */
export function findDistantEntryPoints(): i32 {
  entryPoints = 0;
  entryPointsWanted = ENTRY_POINTS;
  if (clusters == 0) return 0;
  const capacity = resizeBeam(SEARCH_CLUSTERS_MAX);
  const count = openNearestClusters(DISTANT_PROBES);
  for (let at = 0; at < count; at++) {
    samplesChecked = 0, samplesMeasured = 0, usesBinaryCodes = false;
    resetBeam(1, 1, 0);
    offerSamples(gatherCluster(at, 0, 0));
    if (beamCount > 0) addEntryPoint(beamSlot(0));
  }
  resizeBeam(capacity);
  return entryPoints;
}

/** Loads the first samples of the clusters nearest to the target. @returns the number of clusters */
function openNearestClusters(probes: i32): i32 {
  const outer = graph;
  openGraph(clusters);
  if (hasBinaryCodes(graph)) binarizeTarget();
  const count = nearestClusters(probes);
  for (let at = 0; at < count; at++) {
    store<u32>(scratch + (<usize>at << 2), firstSampleOf(beamSlot(at)), SEARCH_CLUSTERS);
  }
  openGraph(outer);
  return count;
}

/**
 * Adds the matching samples of a cluster to the batch, and offers it whenever it is full.
 * @returns how many are left in it
 */
function gatherCluster(at: i32, bitmap: usize, fresh: i32): i32 {
  let sample = load<u32>(scratch + (<usize>at << 2), SEARCH_CLUSTERS);
  for (; sample != 0 && samplesMeasured < SAMPLES_MAX && samplesChecked < SAMPLES_CHECKED_MAX; sample = nextSample(sample)) {
    samplesChecked++;
    const slot = (sample - 1) << SAMPLE_SHIFT;
    if (slot >= slotLimit || (bitmap != 0 && !testBit(bitmap, slot))) continue;
    store<u32>(batchSlots() + (<usize>fresh << 2), slot);
    if (++fresh < MAX_DEGREE_BOUND) continue;
    offerSamples(fresh);
    fresh = 0;
  }
  return fresh;
}

function offerSamples(count: i32): void {
  if (usesBinaryCodes) estimateBatch(count);
  else measureBatch(count);
  // All gathered samples match.
  offerMeasured(count, 0);
  samplesMeasured += count;
}

function addEntryPoint(slot: u32): void {
  if (entryPoints == SEARCH_ENTRY_POINTS_MAX) return;
  store<u32>(scratch + (<usize>entryPoints << 2), slot, SEARCH_ENTRY_POINTS);
  entryPoints++;
}

/**
 * Fills the beam with the `ef` nearest nodes found from the entry point `at` on, without those visited since the bitmap
 * of visited nodes was cleared, so that each such search ends in a neighborhood of its own.
 * @returns the number of entries in the beam
 */
export function beamSearchFrom(at: i32, ef: i32, ties: i32): i32 {
  const slot = load<u32>(scratch + (<usize>at << 2), SEARCH_ENTRY_POINTS);
  resetBeam(ef, ties, 0);
  if (slot >= slotLimit || !isPresent(slot)) return 0;
  offerBatch(gather(slot, 0), 0);
  expandAll(0, 0, i32.MAX_VALUE);
  return beamCount;
}

/** Starts a search with an empty beam: measures the entry points. */
export function enterGraph(bitmap: usize): void {
  clearVisited();
  let fresh = 0;
  for (let at = 0; at < entryPoints; at++) {
    const slot = load<u32>(scratch + (<usize>at << 2), SEARCH_ENTRY_POINTS);
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  // The entry points of the graph itself are few and far between: useful where there are no samples.
  const entries = entryPoints < entryPointsWanted ? min(atomic.load<u32>(graph, GRAPH_ENTRY_POINT_COUNT), <u32>GRAPH_ENTRY_POINTS_MAX) : 0;
  for (let at: u32 = 0; at < entries; at++) {
    const slot = atomic.load<u32>(graph + (<usize>at << 2), GRAPH_ENTRY_POINTS);
    // An entry point that another thread is about to write reads as 0.
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  offerBatch(fresh, bitmap);
}
