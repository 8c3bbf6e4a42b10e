// Clusters of a graph: centroids, each with a list of the samples nearest to it; one slot in 2^SAMPLE_SHIFT is a
// sample. An inverted file (Sivic and Zisserman, ICCV 2003) over so few rows that all centroids can be compared.
import {
  GRAPH_COUNT,
  MAX_DEGREE_BOUND,
  META_ROW,
  CLUSTER_CODE_BITS,
  CLUSTER_LINKS,
  SAMPLE_SHIFT,
  SAMPLES_PER_BLOCK,
} from '../constants';
import { beamCount, resetBeam } from './graph-beam';
import { targetRow } from './graph-distance';
import { gatherShortlist } from './graph-shortlist';
import { hasBinaryCodes, binaryCodeBytesOf, binaryCodesPerFrame, binarizeRow } from './graph-binary-codes';
import {
  compareByDistance,
  graph,
  isPresent,
  openGraph,
  clusters,
  rowAddresses,
  shapeNodes,
  testBit,
} from './graph-state';
import { batchDistances, measureBatch, measureRunAsBatch, offerMeasured, openScratch } from './graph-beam-search';

/** In place of a cluster, for samples that belong to none. */
const NO_CLUSTER: u32 = 0xffffffff;

/**
 * Derives the rest of the clusters' header from the fields that the caller has set in a copy of the graph's header.
 * Empties the lists of samples; binary codes are yet to be written.
 */
export function initClusters(target: usize): void {
  const bytes = binaryCodeBytesOf(load<u32>(target, CLUSTER_CODE_BITS));
  shapeNodes(target, bytes, binaryCodesPerFrame(bytes));
  openGraph(target);
  const count = load<i32>(target, GRAPH_COUNT);
  for (let cluster = 0; cluster < count; cluster++) atomic.store<u32>(headAddress(cluster), 0);
}

/** Address of the first sample + 1 of one of the open clusters. */
@inline
function headAddress(cluster: u32): usize {
  return <usize>(rowAddresses(cluster) >> 32) + META_ROW;
}

/** The first sample + 1 of one of the open clusters, or 0. */
@inline
export function firstSampleOf(cluster: u32): u32 {
  return atomic.load<u32>(headAddress(cluster));
}

/** The sample + 1 that follows this sample + 1 in its cluster of the open graph, or 0. */
@inline
export function nextSample(sample: u32): u32 {
  return atomic.load<u32>(linkAddress(load<usize>(clusters, CLUSTER_LINKS), sample - 1));
}

@inline
function linkAddress(blocks: usize, sample: u32): usize {
  const block = load<u32>(blocks + <usize>((sample / SAMPLES_PER_BLOCK) << 2));
  return <usize>(block + ((sample % SAMPLES_PER_BLOCK) << 2));
}

/**
 * Fills the beam with up to `clustersMax` of the open clusters whose centroids are nearest to the target, whose binary
 * code is known. Of many clusters, only a shortlist by binary codes is measured.
 * @returns their count
 */
export function nearestClusters(clustersMax: i32): i32 {
  const count = load<u32>(graph, GRAPH_COUNT);
  resetBeam(clustersMax, i32.MAX_VALUE, 0);
  if (hasBinaryCodes(graph) && count > <u32>MAX_DEGREE_BOUND) {
    const fresh = gatherShortlist(clustersMax);
    measureBatch(fresh);
    offerMeasured(fresh, 0);
    return beamCount;
  }
  for (let from: u32 = 0; from < count; from += MAX_DEGREE_BOUND) offerMeasured(measureFrom(from, count), 0);
  return beamCount;
}

/** Measures the centroids of as many clusters from `from` on as fit in the batch. @returns their count */
@inline
function measureFrom(from: u32, count: u32): i32 {
  const fresh = <i32>min(count - from, <u32>MAX_DEGREE_BOUND);
  measureRunAsBatch(from, fresh);
  return fresh;
}

/** The open cluster whose centroid is nearest to the target. */
function nearestCluster(): u32 {
  const count = load<u32>(graph, GRAPH_COUNT);
  let least: f32 = Infinity, nearest: u32 = 0;
  for (let from: u32 = 0; from < count; from += MAX_DEGREE_BOUND) {
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

/** The cluster at `target` nearest to a slot of the open graph. Leaves the clusters open. */
function clusterOf(slot: u32, target: usize): u32 {
  targetRow(slot);
  openGraph(target);
  compareByDistance();
  return nearestCluster();
}

/**
 * Writes the nearest cluster u32 at `target` of the samples from..until - 1 of the graph `owner` to `to`; 0xffffffff
 * for samples that are not in the graph.
 */
export function assignSamples(owner: usize, target: usize, from: u32, until: u32, to: usize, address: usize): void {
  openScratch(address, 0, 0);
  for (let sample = from; sample < until; sample++) {
    openGraph(owner);
    const slot = sample << SAMPLE_SHIFT;
    store<u32>(to + (<usize>(sample - from) << 2), isPresent(slot) ? clusterOf(slot, target) : NO_CLUSTER);
  }
}

/**
 * Pushes the samples from..until - 1 to the lists of their clusters at `assigned`. Nobody else may push at the same
 * time.
 */
export function linkSamples(target: usize, from: u32, until: u32, assigned: usize): void {
  openGraph(target);
  for (let sample = from; sample < until; sample++) {
    const cluster = load<u32>(assigned + (<usize>(sample - from) << 2));
    if (cluster != NO_CLUSTER) pushSample(sample, cluster);
  }
}

/** Lists a slot of the open graph in its cluster if it is a sample. Several threads may do so at the same time. */
export function addSample(slot: u32): void {
  const outer = graph;
  if (clusters == 0 || (slot & ((1 << SAMPLE_SHIFT) - 1)) != 0) return;
  const target = clusters, sample = slot >>> SAMPLE_SHIFT;
  if (hasBinaryCodes(target)) {
    binarizeRow(slot, target, load<u32>(target, GRAPH_COUNT) + sample);
    openGraph(outer);
  }
  pushSample(sample, clusterOf(slot, target));
  openGraph(outer);
}

/** Pushes a sample to the list of one of the open clusters. */
function pushSample(sample: u32, cluster: u32): void {
  const head = headAddress(cluster), link = linkAddress(load<usize>(graph, CLUSTER_LINKS), sample);
  for (;;) {
    const first = atomic.load<u32>(head);
    atomic.store<u32>(link, first);
    if (atomic.cmpxchg<u32>(head, first, sample + 1) == first) return;
  }
}

/** Unlinks the samples that are not in the bitmap. Others may read the lists, but nobody may push to them. */
export function dropDeletedSamples(live: usize): void {
  const outer = graph;
  if (clusters == 0) return;
  openGraph(clusters);
  const count = load<u32>(graph, GRAPH_COUNT), blocks = load<usize>(graph, CLUSTER_LINKS);
  for (let cluster: u32 = 0; cluster < count; cluster++) {
    let pointer = headAddress(cluster);
    for (let sample = load<u32>(pointer); sample != 0; sample = load<u32>(pointer)) {
      const link = linkAddress(blocks, sample - 1);
      if (testBit(live, (sample - 1) << SAMPLE_SHIFT)) pointer = link;
      // A reader at this sample continues by its link, which stays.
      else atomic.store<u32>(pointer, load<u32>(link));
    }
  }
  openGraph(outer);
}
