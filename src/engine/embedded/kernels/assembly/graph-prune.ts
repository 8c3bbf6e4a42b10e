// Choice of a node's neighbours (robust prune) and change of its links.
import { CANDIDATES_BOUND, LINKS_BOUND } from '../constants';
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
  LINK_KEPT,
  LINK_SLOT,
  linkAddress,
  linksKept,
  linksMax,
  lockNode,
  nodeAddress,
  unlockNode,
} from './graph-state';
import { distanceOf, orderedBits } from './graph-beam';
import { batchDistances, batchSlots, BUILD_AREA, measureBatch, scratch } from './graph-beam-search';
import { sortEntries } from './sort';

/** Candidates u64: distance (32 bits, ordered), then link (its slot, and whether it must stay). */
const CANDIDATES: usize = BUILD_AREA;
/** The kept ones, one array a number: link u32, codes u32, norm and scale f32, sum of the codes i32. */
const KEPT: usize = CANDIDATES + 8 * CANDIDATES_BOUND;
const KEPT_BYTES: usize = 4 * (LINKS_BOUND + 8);
const KEPT_CODES: usize = KEPT + KEPT_BYTES;
const KEPT_NORMS: usize = KEPT_CODES + KEPT_BYTES;
const KEPT_SCALES: usize = KEPT_NORMS + KEPT_BYTES;
const KEPT_SUMS: usize = KEPT_SCALES + KEPT_BYTES;

/** Rounding of a distance that is a sum of norms, relative to them: what is nearer than this is the same. */
const ROUNDING: f32 = 2e-6;

/** Where a few nodes are near to all (around the origin, say), they cover all: then more is kept, for lack of ways. */
const LOOSER_TURNS: i32 = 4;
const LOOSER_BY: f32 = 1.5;

let candidateCount: i32 = 0;
let keptCount: i32 = 0;

export function clearCandidates(): void {
  candidateCount = 0;
}

@inline
export function hasRoomForBatch(): bool {
  return candidateCount + linksMax <= CANDIDATES_BOUND;
}

@inline
export function addCandidate(link: u32, distance: f32): void {
  store<u64>(scratch + CANDIDATES + (<usize>candidateCount << 3), orderedBits(distance) | <u64>link);
  candidateCount++;
}

/** Measures the batch from the target and adds it to the candidates. */
export function addBatch(count: i32): void {
  const links = batchSlots(), distances = batchDistances();
  measureBatch(count);
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    addCandidate(load<u32>(links + at), load<f32>(distances + at));
  }
}

/** Sorts the candidates nearest first. */
export function sortCandidates(): void {
  sortEntries(scratch + CANDIDATES, candidateCount);
}

/**
 * Chooses up to `most` of the sorted candidates as neighbours of the target row: those that must stay, then each one
 * to which no kept one is nearer than the target is (so that near ones leave room for ways elsewhere), then those to which
 * none is much nearer. @returns how many
 */
export function prune(most: i32): i32 {
  const entries = scratch + CANDIDATES;
  keptCount = 0;
  for (let at = 0; at < candidateCount; at++) {
    const link = <u32>load<u64>(entries + (<usize>at << 3));
    if ((link & LINK_KEPT) != 0) keep(link);
  }
  keepUncovered(1, most);
  keepUncovered(alpha, most);
  let loose = alpha;
  for (let turn = 0; turn < LOOSER_TURNS && keptCount < most >> 1; turn++) {
    loose *= LOOSER_BY;
    keepUncovered(loose, most >> 1);
  }
  return keptCount;
}

function keepUncovered(slack: f32, most: i32): void {
  const end = scratch + CANDIDATES + (<usize>candidateCount << 3);
  for (let place = scratch + CANDIDATES; place < end && keptCount < most; place += 8) {
    const entry = load<u64>(place), link = <u32>entry;
    if ((link & LINK_KEPT) != 0) continue;
    describeRow(link);
    if (isCovered(codedDistance(distanceOf(entry)), slack)) continue;
    keepDescribed(link);
    // Taken: further turns pass it over.
    store<u32>(place, LINK_KEPT);
  }
}

function keep(link: u32): void {
  describeRow(link & LINK_SLOT);
  keepDescribed(link);
}

function keepDescribed(link: u32): void {
  const to = scratch + (<usize>keptCount << 2);
  store<u32>(to, link, KEPT);
  store<usize>(to, rowCodes, KEPT_CODES);
  store<f32>(to, rowCodedNorm, KEPT_NORMS);
  store<f32>(to, rowScale, KEPT_SCALES);
  store<i32>(to, rowCodeSum, KEPT_SUMS);
  keptCount++;
}

/** True when a kept row is nearer to the described one than its distance to the target by the factor `slack`. */
function isCovered(distance: f32, slack: f32): bool {
  const bounds = f32x4.splat(distance);
  for (let at = 0; at < keptCount; at += 4) {
    const four = scratch + (<usize>at << 2), last = keptCount - 1;
    const dots = codeDotsOfFour(
      rowCodes,
      keptCodes(at),
      keptCodes(min(at + 1, last)),
      keptCodes(min(at + 2, last)),
      keptCodes(min(at + 3, last)),
      v128.load(four, KEPT_SUMS),
    );
    const norms = f32x4.add(v128.load(four, KEPT_NORMS), f32x4.splat(rowCodedNorm));
    const products = f32x4.mul(
      f32x4.convert_i32x4_s(dots),
      f32x4.mul(v128.load(four, KEPT_SCALES), f32x4.splat(2 * rowScale)),
    );
    const apart = f32x4.sub(norms, products);
    const room = f32x4.add(bounds, f32x4.mul(norms, f32x4.splat(ROUNDING)));
    const covering = i32x4.bitmask(f32x4.le(f32x4.mul(apart, f32x4.splat(slack)), room));
    if ((covering & ((1 << min(4, keptCount - at)) - 1)) != 0) return true;
  }
  return false;
}

@inline
function keptCodes(at: i32): usize {
  return load<usize>(scratch + (<usize>at << 2), KEPT_CODES);
}

@inline
function keptLink(at: i32): u32 {
  return load<u32>(scratch + (<usize>at << 2), KEPT);
}

/**
 * Writes the kept ones as the links of a locked or unpublished node, and publishes them. Readers may meet old and new
 * links together. Taking the lock has published all that the new ones lead to.
 */
export function storeKept(node: usize): void {
  for (let at = 0; at < keptCount; at++) store<u32>(linkAddress(node, at), keptLink(at));
  unlockNode(node, keptCount);
}

/** Most links of a node that must stay: half, so that the other half is free to be good ones. */
@inline
function stayingMax(): i32 {
  return max(1, linksMax >> 1);
}

/**
 * Links `from` to `to`; a full node's links are pruned. With `stays`, the link is one that pruning spares.
 * @returns false when `from` has no room for one more of those
 */
export function addLink(from: u32, to: u32, stays: bool): bool {
  const node = nodeAddress(from);
  let degree = lockNode(node);
  let staying = 0, known = -1;
  for (let at = 0; at < degree; at++) {
    const link = load<u32>(linkAddress(node, at));
    staying += <i32>(link >>> 31);
    if ((link & LINK_SLOT) == to) known = at;
  }
  if (stays && staying >= stayingMax()) {
    unlockNode(node, degree);
    return false;
  }
  const link = stays ? to | LINK_KEPT : to;
  if (known >= 0) {
    if (stays) store<u32>(linkAddress(node, known), link);
  } else if (degree < linksMax) {
    store<u32>(linkAddress(node, degree), link);
    degree++;
  } else {
    pruneInto(from, node, link);
    return true;
  }
  unlockNode(node, degree);
  return true;
}

/** Adds the batch, some of the node's own neighbours in their order, with what its links say of staying. */
export function addOwnLinks(node: usize, count: i32): void {
  measureBatch(count);
  let link = 0;
  for (let at = 0; at < count; at++, link++) {
    const slot = load<u32>(batchSlots() + (<usize>at << 2));
    while ((load<u32>(linkAddress(node, link)) & LINK_SLOT) != slot) link++;
    addCandidate(load<u32>(linkAddress(node, link)), load<f32>(batchDistances() + (<usize>at << 2)));
  }
}

/** Replaces a full, locked node's links by the best of them and one more. */
function pruneInto(from: u32, node: usize, extra: u32): void {
  const slots = batchSlots();
  for (let at = 0; at < linksMax; at++) {
    store<u32>(slots + (<usize>at << 2), load<u32>(linkAddress(node, at)) & LINK_SLOT);
  }
  store<u32>(slots + (<usize>linksMax << 2), extra & LINK_SLOT);
  targetRow(from);
  measureBatch(linksMax + 1);
  clearCandidates();
  for (let at = 0; at < linksMax; at++) {
    addCandidate(load<u32>(linkAddress(node, at)), load<f32>(batchDistances() + (<usize>at << 2)));
  }
  addCandidate(extra, load<f32>(batchDistances() + (<usize>linksMax << 2)));
  sortCandidates();
  prune(linksKept);
  storeKept(node);
}
