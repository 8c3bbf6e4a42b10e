// The weighted graph of a layout: how certainly two points are neighbors (McInnes, Healy and Melville, "UMAP", 2018,
// section 3.1).
import { NEIGHBORS, type NeighborTable } from './neighbor-table.ts';

/** Edges without direction, in the order of their first points. */
export interface WeightedEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Above 0, up to 1. */
  readonly weights: Float32Array;
}

const SEARCH_STEPS = 48;
const TOLERANCE = 1e-4;
/** The least scale, as a share of the mean distance: points among copies of themselves keep other neighbors too. */
const SCALE_SHARE_MIN = 1e-3;

export function fuzzyGraph(table: NeighborTable): WeightedEdges {
  const directed = directedWeights(table);
  let edges = 0;
  eachEdge(table, directed, () => edges++);
  const from = new Int32Array(edges);
  const to = new Int32Array(edges);
  const weights = new Float32Array(edges);
  let at = 0;
  eachEdge(table, directed, (point, neighbor, weight) => {
    from[at] = point;
    to[at] = neighbor;
    weights[at++] = weight;
  });
  return { from, to, weights };
}

/** Visits each pair once. Its weight is that at least one of both edges exists. */
function eachEdge(
  { count, points }: NeighborTable,
  directed: Float32Array,
  visit: (point: number, neighbor: number, weight: number) => void,
): void {
  for (let point = 0; point < count; point++) {
    for (let at = point * NEIGHBORS; at < (point + 1) * NEIGHBORS; at++) {
      const neighbor = points[at] ?? -1;
      if (neighbor < 0) break;
      const back = rankOf(points, neighbor, point);
      if (back >= 0 && neighbor < point) continue;
      const there = directed[at] ?? 0;
      const return_ = back < 0 ? 0 : (directed[back] ?? 0);
      const weight = there + return_ - there * return_;
      if (weight > 0) visit(point, neighbor, weight);
    }
  }
}

/** The position of a neighbor in the table; -1 where it is none. */
function rankOf(points: Int32Array, point: number, neighbor: number): number {
  for (let at = point * NEIGHBORS; at < (point + 1) * NEIGHBORS; at++) if (points[at] === neighbor) return at;
  return -1;
}

function directedWeights({ count, points, distances }: NeighborTable): Float32Array {
  const weights = new Float32Array(count * NEIGHBORS);
  for (let point = 0; point < count; point++) {
    const first = point * NEIGHBORS;
    let known = 0;
    while (known < NEIGHBORS && (points[first + known] ?? -1) >= 0) known++;
    const own = distances.subarray(first, first + known);
    const nearest = own.find((distance) => distance > 0) ?? 0;
    const scale = scaleOf(own, nearest);
    for (let rank = 0; rank < known; rank++) {
      const beyond = (own[rank] ?? 0) - nearest;
      weights[first + rank] = beyond <= 0 ? 1 : Math.exp(-beyond / scale);
    }
  }
  return weights;
}

/** The scale at which the weights of a point sum to the logarithm of its neighbors, by bisection. */
function scaleOf(distances: Float32Array, nearest: number): number {
  const target = Math.log2(Math.max(2, distances.length));
  let [low, high, scale] = [0, Number.POSITIVE_INFINITY, 1];
  for (let step = 0; step < SEARCH_STEPS; step++) {
    let sum = 0;
    for (const distance of distances) sum += distance <= nearest ? 1 : Math.exp((nearest - distance) / scale);
    if (Math.abs(sum - target) < TOLERANCE) break;
    if (sum > target) high = scale;
    else low = scale;
    scale = high === Number.POSITIVE_INFINITY ? scale * 2 : (low + high) / 2;
  }
  const mean = distances.reduce((sum, each) => sum + each, 0) / Math.max(1, distances.length);
  return Math.max(scale, SCALE_SHARE_MIN * mean, Number.MIN_VALUE);
}
