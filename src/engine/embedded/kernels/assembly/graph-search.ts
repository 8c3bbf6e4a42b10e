// Search of a graph: chooses how to walk by what lies around the query.
import {
  MAX_DEGREE_BOUND,
  METRIC_COSINE,
  METRIC_EUCLIDEAN,
  SEARCH_FIXED_BYTES,
  SEARCH_IS_ABANDONED,
} from '../constants';
import {
  beamCount,
  beamDistance,
  beamSlot,
  resizeBeam,
  truncateBeam,
  distanceOf,
  isMatchAt,
  keepMatches,
  entryAddress,
  resetBeam,
  resizeStable,
  slotOf,
  matchesAmong,
  matchCount,
} from './graph-beam';
import { enterGraph, findEntryPoints } from './graph-entry-points';
import { measureRoughly, normSquaredOf, targetQuery } from './graph-distance';
import { traverseTwoHop } from './graph-two-hop';
import { metric, openGraph } from './graph-state';
import {
  batchDistances,
  batchSlots,
  BUILD_AREA,
  gather,
  measureBatch,
  offerBatch,
  openScratch,
  expandAll,
  refineBeam,
  scratch,
  slotLimit,
} from './graph-beam-search';
import { QUERY_NORM_SQUARED, QUERY_RESIDUAL_FACTOR } from './query';

/** Nearest nodes to be expanded before a walk looks what share of the nodes around the query is wanted. */
const APPROACH_NODES: i32 = 16;

/**
 * Below this part of the usual share of wanted nodes around the query, what is wanted lies to one side of it, and a walk
 * has to see more of the graph: by the square of what is short, up to a bound (docs/decisions/020-filtered-search.md).
 */
const LOW_SELECTIVITY_PART: f32 = 0.65;
const EFFORT_FACTOR_MAX: f32 = 4;
/**
 * From this part of the distance of any row on, what a walk has found lies among what lies everywhere; so many times as far as a
 * node, others are about as far (docs/decisions/020-filtered-search.md).
 */
const FAR_SHARE: f32 = 0.69;
/** By products, where what is nearest is longer than any row by more than a twentieth: its direction says less. */
const FAR_SHARE_LONG_NORM: f32 = 0.5;
const LONG_NORM_SQUARED: f32 = 1.1;
const CROWD_RADIUS: f32 = 1.05;
/** Rows, spread over all, whose mean distance is that of any. */
const SAMPLE_ROWS: u32 = 16;
/** From here on, it also looks for where to begin among wanted nodes alone: dear, and by chance this is seldom so. */
const RESTART_FACTOR: f32 = 2;

/**
 * Looks, by rough distances, for the `ef` best wanted nodes, and writes the best `candidatesMax` of these to the places of the
 * beam as (key f32, slot u32), best first; a key is the score by codes, higher = better. With `localNodes`, counts the wanted among
 * the `localNodes` nearest nodes of all kinds: fewer than `abandonBelow` end the search; `passThroughMin` or more are reached through unwanted
 * ones, others by hops over them. The front that must rest and its patience lie between the rare ones, for where none of these
 * are wanted, and those for where all are; they are larger where the share is less than the `selectivity` one. With `preliminaryMin` or more
 * it first expands the nearest `preliminaryDepth` nodes of all kinds, and has done unless the wanted one of the place `preliminaryRank` lies
 * among many (see `isCrowded`); else, with `abandonsCrowded`, the search ends.
 * @returns their count, or -1 for a query that codes cannot describe
 */
export function searchGraph(
  target: usize,
  query: usize,
  bitmap: usize,
  limit: u32,
  ef: i32,
  ties: i32,
  stableResults: i32,
  patience: i32,
  stableResultsRare: i32,
  patienceRare: i32,
  localNodes: i32,
  selectivity: f32,
  abandonBelow: i32,
  passThroughMin: i32,
  expansionMax: i32,
  preliminaryMin: i32,
  preliminaryDepth: i32,
  preliminaryRank: i32,
  crowdMin: i32,
  abandonsCrowded: bool,
  scratchAddress: usize,
  beamCapacity: i32,
  candidatesMax: i32,
): i32 {
  openGraph(target);
  openScratch(scratchAddress, beamCapacity, limit);
  store<u32>(scratchAddress, 0, SEARCH_IS_ABANDONED);
  if (load<f32>(query, QUERY_RESIDUAL_FACTOR) == Infinity) return -1;
  targetQuery(query);
  measureRoughly(true);
  // Where the query is, not where the nearest wanted node is: far fewer samples are looked at.
  findEntryPoints(0);
  resetBeam(ef, ties, stableResults);
  enterGraph(bitmap);
  if (bitmap == 0 || localNodes == 0) {
    expandAll(bitmap, patience, i32.MAX_VALUE);
    return writeResults(scratchAddress + SEARCH_FIXED_BYTES, candidatesMax);
  }
  expandAll(bitmap, 0, APPROACH_NODES);
  const localMatches = matchesAmong(localNodes);
  const localSelectivity = <f32>localMatches / <f32>max(1, min(localNodes, beamCount)), factor = effortFactor(localSelectivity, selectivity);
  const triesPreliminary = preliminaryDepth > 0 && localMatches >= preliminaryMin;
  if (triesPreliminary) {
    resizeBeam(min(beamCapacity, max(localNodes, max(preliminaryDepth, crowdMin))));
    expandAll(bitmap, 0, preliminaryDepth);
    if (!isCrowded(preliminaryRank, crowdMin, query)) return writeResults(scratchAddress + SEARCH_FIXED_BYTES, candidatesMax);
    resizeBeam(beamCapacity);
  }
  const stableCount = stableResults == 0 ? 0 : min(ef, interpolate(stableResultsRare, stableResults, localSelectivity, factor));
  patience = interpolate(patienceRare, patience, localSelectivity, factor);
  resizeStable(stableCount);
  if (localMatches < min(abandonBelow, passThroughMin) || (triesPreliminary && abandonsCrowded)) {
    store<u32>(scratchAddress, 1, SEARCH_IS_ABANDONED);
  } else if (localMatches >= passThroughMin) expandAll(bitmap, patience, i32.MAX_VALUE);
  else {
    if (factor >= RESTART_FACTOR) restartAtMatches(bitmap, ef, ties, stableCount);
    traverseTwoHop(bitmap, patience, expansionMax);
  }
  return writeResults(scratchAddress + SEARCH_FIXED_BYTES, candidatesMax);
}

/** Begins once more, at wanted nodes alone: few lie around the query. What is in the beam stays. */
function restartAtMatches(bitmap: usize, ef: i32, ties: i32, stableCount: i32): void {
  let heldCount = 0;
  for (let at = 0; at < beamCount && heldCount < MAX_DEGREE_BOUND; at++) {
    store<u32>(scratch + BUILD_AREA + (<usize>heldCount << 2), beamSlot(at));
    heldCount += isMatchAt(at);
  }
  findEntryPoints(bitmap);
  resetBeam(ef, ties, stableCount);
  enterGraph(bitmap);
  let fresh = 0;
  for (let at = 0; at < heldCount; at++) fresh = gather(load<u32>(scratch + BUILD_AREA + (<usize>at << 2)), fresh);
  offerBatch(fresh, bitmap);
}

function effortFactor(localSelectivity: f32, selectivity: f32): f32 {
  const shortfall = (selectivity * LOW_SELECTIVITY_PART) / max<f32>(1e-6, localSelectivity);
  return min(EFFORT_FACTOR_MAX, max<f32>(1, shortfall * shortfall));
}

@inline
function interpolate(atNone: i32, all: i32, localSelectivity: f32, factor: f32): i32 {
  return <i32>ceil<f32>((<f32>atNone + <f32>(all - atNone) * localSelectivity) * factor);
}

/**
 * True when the wanted one of a place, from 1, is nearly as far as any row, or the beam has `crowdMin` nodes up to about as far: most of
 * those that lie there, a walk has not met. Also when there is no such place.
 */
function isCrowded(stableCount: i32, crowdMin: i32, query: usize): bool {
  if (matchCount < stableCount) return true;
  let at = 0;
  for (let left = stableCount; left > 0; at++) left -= isMatchAt(at);
  const self = selfDistance(query), radius = beamDistance(at - 1) - self;
  // Where norms differ, the query may be no nearer to itself.
  if (!(radius > 0) || !(radius < (meanSampleDistance() - self) * (isNearestLong() ? FAR_SHARE_LONG_NORM : FAR_SHARE))) return true;
  return beamCount >= crowdMin && beamDistance(crowdMin - 1) - self <= radius * CROWD_RADIUS;
}

/** The mean distance of some rows, whatever they are. */
function meanSampleDistance(): f32 {
  for (let at: u32 = 0; at < SAMPLE_ROWS; at++) {
    store<u32>(batchSlots() + (<usize>at << 2), <u32>((<u64>at * <u64>slotLimit) / SAMPLE_ROWS));
  }
  measureBatch(SAMPLE_ROWS);
  let sum: f32 = 0;
  for (let at: usize = 0; at < SAMPLE_ROWS; at++) sum += load<f32>(batchDistances() + (at << 2));
  return sum / <f32>SAMPLE_ROWS;
}

/** True where the nearest node is nearest for being long; after `meanSampleDistance`, whose rows are the batch. */
function isNearestLong(): bool {
  if (metric == METRIC_COSINE || metric == METRIC_EUCLIDEAN) return false;
  let sum: f32 = 0;
  for (let at: usize = 0; at < SAMPLE_ROWS; at++) sum += normSquaredOf(load<u32>(batchSlots() + (at << 2)));
  return normSquaredOf(beamSlot(0)) > (sum / <f32>SAMPLE_ROWS) * LONG_NORM_SQUARED;
}

/** What walks measure from the query to itself; by products, to a row of its direction that is as long as the nearest. */
function selfDistance(query: usize): f32 {
  if (metric == METRIC_COSINE) return -1;
  if (metric == METRIC_EUCLIDEAN) return 0;
  return -<f32>sqrt<f64>(load<f64>(query, QUERY_NORM_SQUARED) * <f64>normSquaredOf(beamSlot(0)));
}

/** Writes the nearest `candidatesMax` of the wanted ones, measured anew. @returns how many these are */
function writeResults(entries: usize, candidatesMax: i32): i32 {
  keepMatches();
  truncateBeam(candidatesMax);
  refineBeam();
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(entryAddress(at)), to = entries + (<usize>at << 3);
    store<f32>(to, -distanceOf(entry));
    store<u32>(to, slotOf(entry), 4);
  }
  return beamCount;
}
