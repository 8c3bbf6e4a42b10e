// Tells whether a search has ended among rows like its target, or far from it, where it may have missed nearer rows.
import { METRIC_COSINE, METRIC_EUCLIDEAN } from '../constants';
import { normSquaredOf, targetRow } from './graph-distance';
import { degreeOf, EDGE_SLOT, edgeAddress, metric, nodeAddress, openGraph } from './graph-state';
import { batchDistances, batchSlots, measureBatch, openScratch } from './graph-beam-search';
import { QUERY_NORM_SQUARED } from './query';
import { OUTLIER_RATIO_MIN } from './build-tuning';
import { DISTANCE_EPSILON, SPACING_RANK } from './search-tuning';


/**
 * How many times as far from the query a result, `slot` with its `key`, lies as its own neighbors lie from it: about 1
 * for a query from the distribution of the rows. Distances are 1 - cosine, or squared Euclidean ones. Leaves the
 * results as they are.
 */
export function outOfDistributionRatio(target: usize, query: usize, slot: u32, key: f32, scratchAddress: usize): f32 {
  openGraph(target);
  openScratch(scratchAddress, 0, 0);
  const degree = gatherNeighbors(slot);
  targetRow(slot);
  measureBatch(degree);
  const norm = normSquaredOf(slot);
  let queryDistance = -key;
  let epsilon = DISTANCE_EPSILON;
  if (metric == METRIC_EUCLIDEAN) epsilon *= norm;
  else if (metric == METRIC_COSINE) queryDistance += 1;
  else queryDistance = <f32>1 - key / sqrt<f32>(norm * <f32>load<f64>(query, QUERY_NORM_SQUARED));
  return queryDistance / spacing(degree, norm, epsilon);
}

/** True when a row lies as far from its nearest node as out-of-distribution queries do from theirs. */
export function isOutlier(slot: u32, nearest: u32): bool {
  const degree = gatherNeighbors(nearest);
  store<u32>(batchSlots() + (<usize>degree << 2), slot);
  targetRow(nearest);
  measureBatch(degree + 1);
  const norm = normSquaredOf(nearest), epsilon = metric == METRIC_EUCLIDEAN ? DISTANCE_EPSILON * norm : DISTANCE_EPSILON;
  return distanceAt(<usize>degree << 2, norm) >= OUTLIER_RATIO_MIN * spacing(degree, norm, epsilon);
}

/** Puts the node's neighbors in the batch. @returns their count */
function gatherNeighbors(slot: u32): i32 {
  const node = nodeAddress(slot), degree = degreeOf(node);
  for (let at = 0; at < degree; at++) {
    store<u32>(batchSlots() + (<usize>at << 2), load<u32>(edgeAddress(node, at)) & EDGE_SLOT);
  }
  return degree;
}

/** How far the first `count` rows of the batch, neighbors of the target, lie from it. */
function spacing(count: i32, norm: f32, epsilon: f32): f32 {
  let distance = epsilon;
  for (let nth = 0; nth < SPACING_RANK; nth++) distance = nextDistance(count, norm, distance);
  return max<f32>(distance, epsilon);
}

/** The least distance in the batch above `last`, or `last` itself when there is none. */
function nextDistance(count: i32, norm: f32, last: f32): f32 {
  let next: f32 = Infinity;
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const distance = distanceAt(at, norm);
    if (distance > last) next = min(next, distance);
  }
  return next == Infinity ? last : next;
}

/** The distance of a row of the batch from the target, whose squared norm is `norm`: 1 - cosine, or squared. */
@inline
function distanceAt(at: usize, norm: f32): f32 {
  const distance = load<f32>(batchDistances() + at);
  if (metric == METRIC_EUCLIDEAN) return distance;
  if (metric == METRIC_COSINE) return distance * 0.5;
  return <f32>1 + distance / sqrt<f32>(norm * normSquaredOf(load<u32>(batchSlots() + at)));
}
