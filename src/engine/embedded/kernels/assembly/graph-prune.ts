// Selection of a node's neighbors by robust pruning (DiskANN, algorithm 2), and changes of edges.
import { CANDIDATES_BOUND, MAX_DEGREE_BOUND } from '../constants';
import { DIRECTIONS_PART, DIRECTIONS_WHOLE, DISTANCE_ROUNDING, RELAX_FACTOR, RELAXATIONS_MAX } from './build-tuning';
import { codeDotsOfFour } from './code-dots';
import {
  codedDistance,
  describeRow,
  rowCodedNorm,
  rowCodes,
  rowCodeSum,
  rowScale,
  targetRow,
} from './graph-distance';
import {
  alpha,
  EDGE_PROTECTED,
  EDGE_SLOT,
  edgeAddress,
  prunedDegree,
  maxDegree,
  lockNode,
  nodeAddress,
  unlockNode,
} from './graph-state';
import { distanceOf, orderedBits } from './graph-beam';
import { batchDistances, batchSlots, BUILD_AREA, measureBatch, scratch } from './graph-beam-search';
import { sortEntries } from './sort';

/** Candidates u64: distance (32 bits, in sortable form), then edge (its slot, and whether it is protected). */
const CANDIDATES: usize = BUILD_AREA;
/** The selected candidates, one array per field: edge u32, codes u32, norm f32, scale f32, sum of the codes i32. */
const SELECTED: usize = CANDIDATES + 8 * CANDIDATES_BOUND;
const SELECTED_BYTES: usize = 4 * (MAX_DEGREE_BOUND + 8);
const SELECTED_CODES: usize = SELECTED + SELECTED_BYTES;
const SELECTED_NORMS: usize = SELECTED_CODES + SELECTED_BYTES;
const SELECTED_SCALES: usize = SELECTED_NORMS + SELECTED_BYTES;
const SELECTED_SUMS: usize = SELECTED_SCALES + SELECTED_BYTES;



let candidateCount: i32 = 0;
let selectedCount: i32 = 0;

export function clearCandidates(): void {
  candidateCount = 0;
}

@inline
export function canAddBatch(): bool {
  return candidateCount + maxDegree <= CANDIDATES_BOUND;
}

@inline
export function addCandidate(edge: u32, distance: f32): void {
  store<u64>(scratch + CANDIDATES + (<usize>candidateCount << 3), orderedBits(distance) | <u64>edge);
  candidateCount++;
}

/** Measures the batch from the target and adds it to the candidates. */
export function addBatch(count: i32): void {
  const edges = batchSlots(), distances = batchDistances();
  measureBatch(count);
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    addCandidate(load<u32>(edges + at), load<f32>(distances + at));
  }
}

/** Sorts the candidates, nearest first. */
export function sortCandidates(): void {
  sortEntries(scratch + CANDIDATES, candidateCount);
}

/**
 * Selects up to `degreeMax` of the sorted candidates as neighbors of the target: the protected ones, then those to
 * which no selected one is nearer than the target is (so that near ones leave edges for other directions) up to a part,
 * then those to which none is nearer by the factor alpha, which are near ones first.
 * @returns their count
 */
export function prune(degreeMax: i32): i32 {
  const entries = scratch + CANDIDATES;
  selectedCount = 0;
  for (let at = 0; at < candidateCount; at++) {
    const edge = <u32>load<u64>(entries + (<usize>at << 3));
    if ((edge & EDGE_PROTECTED) != 0) selectRow(edge);
  }
  selectUncovered(1, (degreeMax * DIRECTIONS_PART) / DIRECTIONS_WHOLE);
  selectUncovered(alpha, degreeMax);
  let relaxed = alpha;
  for (let round = 0; round < RELAXATIONS_MAX && selectedCount < degreeMax >> 1; round++) {
    relaxed *= RELAX_FACTOR;
    selectUncovered(relaxed, degreeMax >> 1);
  }
  return selectedCount;
}

function selectUncovered(slack: f32, degreeMax: i32): void {
  const end = scratch + CANDIDATES + (<usize>candidateCount << 3);
  for (let place = scratch + CANDIDATES; place < end && selectedCount < degreeMax; place += 8) {
    const entry = load<u64>(place), edge = <u32>entry;
    if ((edge & EDGE_PROTECTED) != 0) continue;
    describeRow(edge);
    if (isOccluded(codedDistance(distanceOf(entry)), slack)) continue;
    selectDescribed(edge);
    // Selected: later passes skip it.
    store<u32>(place, EDGE_PROTECTED);
  }
}

function selectRow(edge: u32): void {
  describeRow(edge & EDGE_SLOT);
  selectDescribed(edge);
}

function selectDescribed(edge: u32): void {
  const to = scratch + (<usize>selectedCount << 2);
  store<u32>(to, edge, SELECTED);
  store<usize>(to, rowCodes, SELECTED_CODES);
  store<f32>(to, rowCodedNorm, SELECTED_NORMS);
  store<f32>(to, rowScale, SELECTED_SCALES);
  store<i32>(to, rowCodeSum, SELECTED_SUMS);
  selectedCount++;
}

/** True when a selected row is nearer to the described one than the target is, by the factor `slack`. */
function isOccluded(distance: f32, slack: f32): bool {
  const bounds = f32x4.splat(distance);
  for (let at = 0; at < selectedCount; at += 4) {
    const four = scratch + (<usize>at << 2), last = selectedCount - 1;
    const dots = codeDotsOfFour(
      rowCodes,
      selectedCodes(at),
      selectedCodes(min(at + 1, last)),
      selectedCodes(min(at + 2, last)),
      selectedCodes(min(at + 3, last)),
      v128.load(four, SELECTED_SUMS),
    );
    const norms = f32x4.add(v128.load(four, SELECTED_NORMS), f32x4.splat(rowCodedNorm));
    const products = f32x4.mul(
      f32x4.convert_i32x4_s(dots),
      f32x4.mul(v128.load(four, SELECTED_SCALES), f32x4.splat(2 * rowScale)),
    );
    const distances = f32x4.sub(norms, products);
    const tolerance = f32x4.add(bounds, f32x4.mul(norms, f32x4.splat(DISTANCE_ROUNDING)));
    const covering = i32x4.bitmask(f32x4.le(f32x4.mul(distances, f32x4.splat(slack)), tolerance));
    if ((covering & ((1 << min(4, selectedCount - at)) - 1)) != 0) return true;
  }
  return false;
}

@inline
function selectedCodes(at: i32): usize {
  return load<usize>(scratch + (<usize>at << 2), SELECTED_CODES);
}

@inline
function selectedEdge(at: i32): u32 {
  return load<u32>(scratch + (<usize>at << 2), SELECTED);
}

/**
 * Writes the selected candidates as the edges of a locked or unpublished node, and publishes them. Readers may see old
 * and new edges together. Taking the lock has published all nodes that the new edges lead to.
 */
export function storeSelected(node: usize): void {
  for (let at = 0; at < selectedCount; at++) store<u32>(edgeAddress(node, at), selectedEdge(at));
  unlockNode(node, selectedCount);
}

/** Maximum protected edges of a node: half, so that the other half is free for good ones. */
@inline
function protectedMax(): i32 {
  return max(1, maxDegree >> 1);
}

/**
 * Adds an edge from `from` to `to`; prunes the edges of a full node. Pruning spares protected edges.
 * @returns false when `from` has no capacity for another protected edge
 */
export function addEdge(from: u32, to: u32, isProtected: bool): bool {
  const node = nodeAddress(from);
  let degree = lockNode(node);
  let protectedCount = 0, existing = -1;
  for (let at = 0; at < degree; at++) {
    const edge = load<u32>(edgeAddress(node, at));
    protectedCount += <i32>(edge >>> 31);
    if ((edge & EDGE_SLOT) == to) existing = at;
  }
  if (isProtected && protectedCount >= protectedMax()) {
    unlockNode(node, degree);
    return false;
  }
  const edge = isProtected ? to | EDGE_PROTECTED : to;
  if (existing >= 0) {
    if (isProtected) store<u32>(edgeAddress(node, existing), edge);
  } else if (degree < maxDegree) {
    store<u32>(edgeAddress(node, degree), edge);
    degree++;
  } else {
    pruneInto(from, node, edge);
    return true;
  }
  unlockNode(node, degree);
  return true;
}

/** Adds the batch, some of the node's own neighbors in their order, to the candidates, with the flags of its edges. */
export function addOwnEdges(node: usize, count: i32): void {
  measureBatch(count);
  let edge = 0;
  for (let at = 0; at < count; at++, edge++) {
    const slot = load<u32>(batchSlots() + (<usize>at << 2));
    while ((load<u32>(edgeAddress(node, edge)) & EDGE_SLOT) != slot) edge++;
    addCandidate(load<u32>(edgeAddress(node, edge)), load<f32>(batchDistances() + (<usize>at << 2)));
  }
}

/** Replaces the edges of a full, locked node by the best of them and of one more. */
function pruneInto(from: u32, node: usize, extra: u32): void {
  const slots = batchSlots();
  for (let at = 0; at < maxDegree; at++) {
    store<u32>(slots + (<usize>at << 2), load<u32>(edgeAddress(node, at)) & EDGE_SLOT);
  }
  store<u32>(slots + (<usize>maxDegree << 2), extra & EDGE_SLOT);
  targetRow(from);
  measureBatch(maxDegree + 1);
  clearCandidates();
  for (let at = 0; at < maxDegree; at++) {
    addCandidate(load<u32>(edgeAddress(node, at)), load<f32>(batchDistances() + (<usize>at << 2)));
  }
  addCandidate(extra, load<f32>(batchDistances() + (<usize>maxDegree << 2)));
  sortCandidates();
  prune(prunedDegree);
  storeSelected(node);
}
