// Graph search: estimates how many nodes around the query match the filter, and traverses the graph accordingly.
import {
  MAX_DEGREE_BOUND,
  METRIC_COSINE,
  METRIC_EUCLIDEAN,
  SEARCH_FIXED_BYTES,
  SEARCH_IS_ABANDONED,
  SEARCH_PARAMETERS,
} from '../constants';
import {
  SEARCH_BLOCK_ABANDON_BELOW,
  SEARCH_BLOCK_ABANDONS_CROWDED,
  SEARCH_BLOCK_BEAM_CAPACITY,
  SEARCH_BLOCK_BITMAP,
  SEARCH_BLOCK_CANDIDATES,
  SEARCH_BLOCK_CROWD_MIN,
  SEARCH_BLOCK_EF,
  SEARCH_BLOCK_EXPANSION_MAX,
  SEARCH_BLOCK_LOCAL_NODES,
  SEARCH_BLOCK_PASS_THROUGH_MIN,
  SEARCH_BLOCK_PATIENCE,
  SEARCH_BLOCK_PATIENCE_AT_NONE,
  SEARCH_BLOCK_PRELIMINARY_DEPTH,
  SEARCH_BLOCK_PRELIMINARY_MIN,
  SEARCH_BLOCK_PRELIMINARY_RANK,
  SEARCH_BLOCK_PROBES,
  SEARCH_BLOCK_QUERY,
  SEARCH_BLOCK_SELECTIVITY,
  SEARCH_BLOCK_SLACK_EF,
  SEARCH_BLOCK_SLACK_FACTOR,
  SEARCH_BLOCK_SLACK_RANK,
  SEARCH_BLOCK_SLOT_LIMIT,
  SEARCH_BLOCK_STABLE_AT_NONE,
  SEARCH_BLOCK_STABLE_RESULTS,
  SEARCH_BLOCK_TIES,
} from '../parameters';
import {
  beamCount,
  beamDistance,
  beamSlot,
  distanceOf,
  entryAddress,
  isMatchAt,
  keepMatches,
  matchCount,
  matchesAmong,
  resetBeam,
  resizeBeam,
  resizeStable,
  setSlack,
  slotOf,
  truncateBeam,
} from './graph-beam';
import {
  batchDistances,
  batchSlots,
  BUILD_AREA,
  expandAll,
  gather,
  measureBatch,
  offerBatch,
  openScratch,
  refineBeam,
  scratch,
  slotLimit,
} from './graph-beam-search';
import { measureRoughly, normSquaredOf, targetQuery } from './graph-distance';
import { sortResults } from './graph-bound';
import { estimateErrorOf, isByNodeCodes, measureByNodeCodes } from './graph-node-codes';
import { enterGraph, findEntryPoints, findEntryPointsBy } from './graph-entry-points';
import { metric, openGraph } from './graph-state';
import { traverseTwoHop } from './graph-two-hop';
import { QUERY_NORM_SQUARED, QUERY_RESIDUAL_FACTOR } from './query';
import {
  APPROACH_NODES,
  CROWD_RADIUS,
  EFFORT_FACTOR_MAX,
  FAR_SHARE,
  FAR_SHARE_LONG_NORM,
  LONG_NORM_SQUARED,
  LOW_SELECTIVITY_PART,
  PROBES_MIN,
  RESTART_FACTOR,
  SAMPLE_ROWS,
} from './search-tuning';

/**
 * Searches the graph at `target` for the query and by the parameters in the block of the scratch (see parameters.ts). Writes
 * the best candidates in place of the beam as (key f32, slot u32), best first; a key is the score by codes, higher is better.
 * Where nodes have codes, keys are the most that estimates allow: see `keyResults`.
 * @returns the number of candidates, or -1 for a query that codes cannot describe
 */
export function searchGraph(target: usize, scratchAddress: usize): i32 {
  const block = scratchAddress + SEARCH_PARAMETERS;
  const query = load<usize>(block, SEARCH_BLOCK_QUERY), bitmap = load<usize>(block, SEARCH_BLOCK_BITMAP);
  openGraph(target);
  openScratch(scratchAddress, load<i32>(block, SEARCH_BLOCK_BEAM_CAPACITY), load<u32>(block, SEARCH_BLOCK_SLOT_LIMIT));
  store<u32>(scratchAddress, 0, SEARCH_IS_ABANDONED);
  if (load<f32>(query, QUERY_RESIDUAL_FACTOR) == Infinity) return -1;
  targetQuery(query);
  measureRoughly(true);
  measureByNodeCodes();
  // Near the query rather than near the nearest match: this takes far fewer samples.
  const probes = load<i32>(block, SEARCH_BLOCK_PROBES);
  findEntryPointsBy(probes == 0 ? PROBES_MIN : min(probes, PROBES_MIN), 0);
  resetBeam(load<i32>(block, SEARCH_BLOCK_EF), load<i32>(block, SEARCH_BLOCK_TIES), load<i32>(block, SEARCH_BLOCK_STABLE_RESULTS));
  enterGraph(bitmap);
  allowSlack(block, query);
  if (bitmap == 0 || load<i32>(block, SEARCH_BLOCK_LOCAL_NODES) == 0) {
    expandAll(bitmap, load<i32>(block, SEARCH_BLOCK_PATIENCE), i32.MAX_VALUE);
  } else {
    searchFiltered(block, query, bitmap);
  }
  return writeResults(scratchAddress + SEARCH_FIXED_BYTES, load<i32>(block, SEARCH_BLOCK_CANDIDATES));
}

/** Lets the beam grow by what lies within the slack, if the search has one. */
function allowSlack(block: usize, query: usize): void {
  const factor = load<f32>(block, SEARCH_BLOCK_SLACK_FACTOR);
  if (factor == 0 || beamCount == 0) return;
  setSlack(load<i32>(block, SEARCH_BLOCK_SLACK_RANK), factor, selfDistance(query), load<i32>(block, SEARCH_BLOCK_SLACK_EF));
}

/** Continues from the beam according to the local selectivity. */
function searchFiltered(block: usize, query: usize, bitmap: usize): void {
  const localNodes = load<i32>(block, SEARCH_BLOCK_LOCAL_NODES);
  expandAll(bitmap, 0, APPROACH_NODES);
  const localMatches = matchesAmong(localNodes);
  const localSelectivity = <f32>localMatches / <f32>max(1, min(localNodes, beamCount));
  const depth = load<i32>(block, SEARCH_BLOCK_PRELIMINARY_DEPTH);
  const triesPreliminary = depth > 0 && localMatches >= load<i32>(block, SEARCH_BLOCK_PRELIMINARY_MIN);
  if (triesPreliminary && searchPreliminary(block, query, bitmap, depth)) return;
  const factor = effortFactor(localSelectivity, load<f32>(block, SEARCH_BLOCK_SELECTIVITY));
  const stableResults = load<i32>(block, SEARCH_BLOCK_STABLE_RESULTS), ef = load<i32>(block, SEARCH_BLOCK_EF);
  const stableAtNone = load<i32>(block, SEARCH_BLOCK_STABLE_AT_NONE);
  const stableCount = stableResults == 0 ? 0 : min(ef, interpolate(stableAtNone, stableResults, localSelectivity, factor));
  const patienceAtNone = load<i32>(block, SEARCH_BLOCK_PATIENCE_AT_NONE);
  const patience = interpolate(patienceAtNone, load<i32>(block, SEARCH_BLOCK_PATIENCE), localSelectivity, factor);
  resizeStable(stableCount);
  const passThroughMin = load<i32>(block, SEARCH_BLOCK_PASS_THROUGH_MIN);
  const abandonsCrowded = load<u32>(block, SEARCH_BLOCK_ABANDONS_CROWDED) != 0;
  if (localMatches < min(load<i32>(block, SEARCH_BLOCK_ABANDON_BELOW), passThroughMin) || (triesPreliminary && abandonsCrowded)) {
    store<u32>(scratch, 1, SEARCH_IS_ABANDONED);
  } else if (localMatches >= passThroughMin) expandAll(bitmap, patience, i32.MAX_VALUE);
  else {
    if (factor >= RESTART_FACTOR) {
      restartAtMatches(bitmap, ef, load<i32>(block, SEARCH_BLOCK_TIES), stableCount);
      allowSlack(block, query);
    }
    traverseTwoHop(bitmap, patience, load<i32>(block, SEARCH_BLOCK_EXPANSION_MAX));
  }
}

/** Expands the nearest `depth` nodes, matching or not. @returns true unless the results lie in a crowd */
function searchPreliminary(block: usize, query: usize, bitmap: usize, depth: i32): bool {
  const crowdMin = load<i32>(block, SEARCH_BLOCK_CROWD_MIN), beamCapacity = load<i32>(block, SEARCH_BLOCK_BEAM_CAPACITY);
  resizeBeam(min(beamCapacity, max(load<i32>(block, SEARCH_BLOCK_LOCAL_NODES), max(depth, crowdMin))));
  expandAll(bitmap, 0, depth);
  if (!isCrowded(load<i32>(block, SEARCH_BLOCK_PRELIMINARY_RANK), crowdMin, query)) return true;
  resizeBeam(beamCapacity);
  return false;
}

/** Starts again from matching entry points, because few nodes around the query match. Matches in the beam stay in it. */
function restartAtMatches(bitmap: usize, ef: i32, ties: i32, stableCount: i32): void {
  let savedCount = 0;
  for (let at = 0; at < beamCount && savedCount < MAX_DEGREE_BOUND; at++) {
    store<u32>(scratch + BUILD_AREA + (<usize>savedCount << 2), beamSlot(at));
    savedCount += isMatchAt(at);
  }
  findEntryPoints(bitmap);
  resetBeam(ef, ties, stableCount);
  enterGraph(bitmap);
  let fresh = 0;
  for (let at = 0; at < savedCount; at++) fresh = gather(load<u32>(scratch + BUILD_AREA + (<usize>at << 2)), fresh);
  offerBatch(fresh, bitmap);
}

function effortFactor(localSelectivity: f32, selectivity: f32): f32 {
  const shortfall = (selectivity * LOW_SELECTIVITY_PART) / max<f32>(1e-6, localSelectivity);
  return min(EFFORT_FACTOR_MAX, max<f32>(1, shortfall * shortfall));
}

/** A bound of early termination between those at a local selectivity of 0 and of 1, times `factor`. */
@inline
function interpolate(atNone: i32, atAll: i32, localSelectivity: f32, factor: f32): i32 {
  return <i32>ceil<f32>((<f32>atNone + <f32>(atAll - atNone) * localSelectivity) * factor);
}

/**
 * True when the graph cannot tell the nearest matches from the rest: the match of this rank (from 1) is nearly as far
 * from the query as the average row, or the beam already holds `crowdMin` nodes about as near. Also true without such a
 * match.
 */
function isCrowded(rank: i32, crowdMin: i32, query: usize): bool {
  if (matchCount < rank) return true;
  let at = 0;
  for (let left = rank; left > 0; at++) left -= isMatchAt(at);
  const self = selfDistance(query), radius = beamDistance(at - 1) - self;
  // Where norms differ, the query may be no nearer to itself.
  const farShare = isNearestLong() ? FAR_SHARE_LONG_NORM : FAR_SHARE;
  if (!(radius > 0) || !(radius < (meanSampleDistance() - self) * farShare)) return true;
  return beamCount >= crowdMin && beamDistance(crowdMin - 1) - self <= radius * CROWD_RADIUS;
}

/** The mean distance of evenly spaced rows from the query. */
function meanSampleDistance(): f32 {
  gatherSampleRows();
  measureBatch(SAMPLE_ROWS);
  let sum: f32 = 0;
  for (let at: usize = 0; at < SAMPLE_ROWS; at++) sum += load<f32>(batchDistances() + (at << 2));
  return sum / <f32>SAMPLE_ROWS;
}

/** Puts evenly spaced slots in the batch. */
function gatherSampleRows(): void {
  for (let at: u32 = 0; at < SAMPLE_ROWS; at++) {
    store<u32>(batchSlots() + (<usize>at << 2), <u32>((<u64>at * <u64>slotLimit) / SAMPLE_ROWS));
  }
}

/** True where the nearest node is nearest by dot product because it is long. */
function isNearestLong(): bool {
  if (metric == METRIC_COSINE || metric == METRIC_EUCLIDEAN) return false;
  gatherSampleRows();
  let sum: f32 = 0;
  for (let at: usize = 0; at < SAMPLE_ROWS; at++) sum += normSquaredOf(load<u32>(batchSlots() + (at << 2)));
  return normSquaredOf(beamSlot(0)) > (sum / <f32>SAMPLE_ROWS) * LONG_NORM_SQUARED;
}

/** The measured distance of the query from itself; by dot product, from a row in its direction as long as the nearest. */
function selfDistance(query: usize): f32 {
  if (metric == METRIC_COSINE) return -1;
  if (metric == METRIC_EUCLIDEAN) return 0;
  return -<f32>sqrt<f64>(load<f64>(query, QUERY_NORM_SQUARED) * <f64>normSquaredOf(beamSlot(0)));
}

/** Writes the nearest `candidatesMax` matches of the beam, measured exactly unless by nodes' codes. @returns their count */
function writeResults(entries: usize, candidatesMax: i32): i32 {
  const isEstimated = isByNodeCodes();
  keepMatches();
  truncateBeam(candidatesMax);
  if (!isEstimated) refineBeam();
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(entryAddress(at)), to = entries + (<usize>at << 3), slot = slotOf(entry);
    store<f32>(to, (isEstimated ? estimateErrorOf(slot) : 0) - distanceOf(entry));
    store<u32>(to, slot, 4);
  }
  if (isEstimated) sortResults(entries, beamCount);
  return beamCount;
}
