// Search of a graph: chooses how to walk by what lies around the query.
import {
  LINKS_BOUND,
  METRIC_COSINE,
  METRIC_EUCLIDEAN,
  WALK_FIXED_BYTES,
  WALK_IS_CUT,
} from '../constants';
import {
  beamCount,
  beamDistance,
  beamSlot,
  boundBeam,
  cutBeam,
  distanceOf,
  isWantedAt,
  keepWanted,
  placeOf,
  resetBeam,
  resizeFront,
  slotOf,
  wantedAmong,
  wantedCount,
} from './graph-beam';
import { enter, findBeginnings } from './graph-entry-points';
import { measureRoughly, normSquaredOf, targetQuery } from './graph-distance';
import { hopOver } from './graph-two-hop';
import { metric, openGraph } from './graph-state';
import {
  batchDistances,
  batchSlots,
  BUILD_AREA,
  gather,
  measureBatch,
  offerBatch,
  openScratch,
  passThrough,
  refineBeam,
  scratch,
  slotLimit,
} from './graph-beam-search';
import { QUERY_NORM_SQUARED, QUERY_RESIDUAL_FACTOR } from './query';

/** Nearest nodes to be expanded before a walk looks what share of the nodes around the query is wanted. */
const APPROACH: i32 = 16;

/**
 * Below this part of the usual share of wanted nodes around the query, what is wanted lies to one side of it, and a walk
 * has to see more of the graph: by the square of what is short, up to a bound (docs/decisions/020-filtered-search.md).
 */
const SHORT_PART: f32 = 0.65;
const SHORT_FACTOR_MAX: f32 = 4;
/**
 * From this part of the distance of any row on, what a walk has found lies among what lies everywhere; so many times as far as a
 * node, others are about as far (docs/decisions/020-filtered-search.md).
 */
const FAR_PART: f32 = 0.69;
/** By products, where what is nearest is longer than any row by more than a twentieth: its direction says less. */
const FAR_PART_BY_LENGTH: f32 = 0.5;
const LONGER_SQUARED: f32 = 1.1;
const ABOUT_AS_FAR: f32 = 1.05;
/** Rows, spread over all, whose mean distance is that of any. */
const ANY_ROWS: u32 = 16;
/** From here on, it also looks for where to begin among wanted nodes alone: dear, and by chance this is seldom so. */
const ASIDE_FACTOR: f32 = 2;

/**
 * Looks, by rough distances, for the `keep` best wanted nodes, and writes the best `candidates` of these to the places of the
 * beam as (key f32, slot u32), best first; a key is the score by codes, higher = better. With `look`, counts the wanted among
 * the `look` nearest nodes of all kinds: fewer than `cutBelow` end the search; `passFrom` or more are reached through unwanted
 * ones, others by hops over them. The front that must rest and its patience lie between the rare ones, for where none of these
 * are wanted, and those for where all are; they are larger where the share is less than the `usual` one. With `tryFrom` or more
 * it first expands the nearest `tryDepth` nodes of all kinds, and has done unless the wanted one of the place `tryFront` lies
 * among many (see `isAmongMany`); else, with `cutsMany`, the search ends.
 * @returns their count, or -1 for a query that codes cannot describe
 */
export function searchGraph(
  target: usize,
  query: usize,
  bitmap: usize,
  limit: u32,
  keep: i32,
  ties: i32,
  settled: i32,
  patience: i32,
  settledRare: i32,
  patienceRare: i32,
  look: i32,
  usual: f32,
  cutBelow: i32,
  passFrom: i32,
  enough: i32,
  tryFrom: i32,
  tryDepth: i32,
  tryFront: i32,
  many: i32,
  cutsMany: bool,
  address: usize,
  places: i32,
  candidates: i32,
): i32 {
  openGraph(target);
  openScratch(address, places, limit);
  store<u32>(address, 0, WALK_IS_CUT);
  if (load<f32>(query, QUERY_RESIDUAL_FACTOR) == Infinity) return -1;
  targetQuery(query);
  measureRoughly(true);
  // Where the query is, not where the nearest wanted node is: far fewer samples are looked at.
  findBeginnings(0);
  resetBeam(keep, ties, settled);
  enter(bitmap);
  if (bitmap == 0 || look == 0) {
    passThrough(bitmap, patience, i32.MAX_VALUE);
    return writeFindings(address + WALK_FIXED_BYTES, candidates);
  }
  passThrough(bitmap, 0, APPROACH);
  const near = wantedAmong(look);
  const share = <f32>near / <f32>max(1, min(look, beamCount)), factor = factorFor(share, usual);
  const isTried = tryDepth > 0 && near >= tryFrom;
  if (isTried) {
    boundBeam(min(places, max(look, max(tryDepth, many))));
    passThrough(bitmap, 0, tryDepth);
    if (!isAmongMany(tryFront, many, query)) return writeFindings(address + WALK_FIXED_BYTES, candidates);
    boundBeam(places);
  }
  const front = settled == 0 ? 0 : min(keep, between(settledRare, settled, share, factor));
  patience = between(patienceRare, patience, share, factor);
  resizeFront(front);
  if (near < min(cutBelow, passFrom) || (isTried && cutsMany)) {
    store<u32>(address, 1, WALK_IS_CUT);
  } else if (near >= passFrom) passThrough(bitmap, patience, i32.MAX_VALUE);
  else {
    if (factor >= ASIDE_FACTOR) beginAtWanted(bitmap, keep, ties, front);
    hopOver(bitmap, patience, enough);
  }
  return writeFindings(address + WALK_FIXED_BYTES, candidates);
}

/** Begins once more, at wanted nodes alone: few lie around the query. What is in the beam stays. */
function beginAtWanted(bitmap: usize, keep: i32, ties: i32, front: i32): void {
  let held = 0;
  for (let at = 0; at < beamCount && held < LINKS_BOUND; at++) {
    store<u32>(scratch + BUILD_AREA + (<usize>held << 2), beamSlot(at));
    held += isWantedAt(at);
  }
  findBeginnings(bitmap);
  resetBeam(keep, ties, front);
  enter(bitmap);
  let fresh = 0;
  for (let at = 0; at < held; at++) fresh = gather(load<u32>(scratch + BUILD_AREA + (<usize>at << 2)), fresh);
  offerBatch(fresh, bitmap);
}

function factorFor(share: f32, usual: f32): f32 {
  const short = (usual * SHORT_PART) / max<f32>(1e-6, share);
  return min(SHORT_FACTOR_MAX, max<f32>(1, short * short));
}

@inline
function between(rare: i32, full: i32, share: f32, factor: f32): i32 {
  return <i32>ceil<f32>((<f32>rare + <f32>(full - rare) * share) * factor);
}

/**
 * True when the wanted one of a place, from 1, is nearly as far as any row, or the beam has `many` nodes up to about as far: most of
 * those that lie there, a walk has not met. Also when there is no such place.
 */
function isAmongMany(front: i32, many: i32, query: usize): bool {
  if (wantedCount < front) return true;
  let at = 0;
  for (let left = front; left > 0; at++) left -= isWantedAt(at);
  const own = ownDistance(query), far = beamDistance(at - 1) - own;
  // Where norms differ, the query may be no nearer to itself.
  if (!(far > 0) || !(far < (anyDistance() - own) * (isByLength() ? FAR_PART_BY_LENGTH : FAR_PART))) return true;
  return beamCount >= many && beamDistance(many - 1) - own <= far * ABOUT_AS_FAR;
}

/** The mean distance of some rows, whatever they are. */
function anyDistance(): f32 {
  for (let at: u32 = 0; at < ANY_ROWS; at++) {
    store<u32>(batchSlots() + (<usize>at << 2), <u32>((<u64>at * <u64>slotLimit) / ANY_ROWS));
  }
  measureBatch(ANY_ROWS);
  let sum: f32 = 0;
  for (let at: usize = 0; at < ANY_ROWS; at++) sum += load<f32>(batchDistances() + (at << 2));
  return sum / <f32>ANY_ROWS;
}

/** True where the nearest node is nearest for being long; after `anyDistance`, whose rows are the batch. */
function isByLength(): bool {
  if (metric == METRIC_COSINE || metric == METRIC_EUCLIDEAN) return false;
  let sum: f32 = 0;
  for (let at: usize = 0; at < ANY_ROWS; at++) sum += normSquaredOf(load<u32>(batchSlots() + (at << 2)));
  return normSquaredOf(beamSlot(0)) > (sum / <f32>ANY_ROWS) * LONGER_SQUARED;
}

/** What walks measure from the query to itself; by products, to a row of its direction that is as long as the nearest. */
function ownDistance(query: usize): f32 {
  if (metric == METRIC_COSINE) return -1;
  if (metric == METRIC_EUCLIDEAN) return 0;
  return -<f32>sqrt<f64>(load<f64>(query, QUERY_NORM_SQUARED) * <f64>normSquaredOf(beamSlot(0)));
}

/** Writes the nearest `candidates` of the wanted ones, measured anew. @returns how many these are */
function writeFindings(entries: usize, candidates: i32): i32 {
  keepWanted();
  cutBeam(candidates);
  refineBeam();
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(placeOf(at)), to = entries + (<usize>at << 3);
    store<f32>(to, -distanceOf(entry));
    store<u32>(to, slotOf(entry), 4);
  }
  return beamCount;
}
