// Search of a graph: chooses how to walk by what lies around the query.
import { LINKS_BOUND, WALK_FIXED_BYTES, WALK_IS_CUT } from '../constants';
import {
  beamCount,
  beamSlot,
  distanceOf,
  isWantedAt,
  placeOf,
  resetBeam,
  resizeFront,
  slotOf,
  WANTED,
  wantedAmong,
} from './graph-beam';
import { enter, findBeginnings } from './graph-beginnings';
import { targetQuery } from './graph-distance';
import { hopOver } from './graph-hops';
import { openGraph } from './graph-state';
import { BUILD_AREA, gather, offerBatch, openScratch, passThrough, scratch } from './graph-walk';
import { QUERY_RESIDUAL_FACTOR } from './query';

/** Nearest nodes to be expanded before a walk looks what share of the nodes around the query is wanted. */
const APPROACH: i32 = 16;

/**
 * Below this part of the usual share of wanted nodes around the query, what is wanted lies to one side of it, and a walk
 * has to see more of the graph: by the square of what is short, up to a bound (docs/decisions/041).
 */
const SHORT_PART: f32 = 0.65;
const SHORT_FACTOR_MAX: f32 = 4;
/** From here on, it also looks for where to begin among wanted nodes alone: dear, and by chance this is seldom so. */
const ASIDE_FACTOR: f32 = 2;

/**
 * Writes the `keep` best wanted nodes found to the places of the beam as (key f32, slot u32), best first; a key is the
 * score by codes, higher = better. With `look`, counts the wanted among the `look` nearest nodes of all kinds: fewer than
 * `cutBelow` end the search; `passFrom` or more are reached through unwanted ones, others by hops over them. The front that
 * must rest and its patience lie between the rare ones, for where none of these are wanted, and those for where all are;
 * they are larger where the share is less than the `usual` one.
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
  address: usize,
  places: i32,
): i32 {
  openGraph(target);
  openScratch(address, places, limit);
  store<u32>(address, 0, WALK_IS_CUT);
  if (load<f32>(query, QUERY_RESIDUAL_FACTOR) == Infinity) return -1;
  targetQuery(query);
  // Where the query is, not where the nearest wanted node is: far fewer samples are looked at.
  findBeginnings(0);
  resetBeam(keep, ties, settled);
  enter(bitmap);
  if (bitmap == 0 || look == 0) {
    passThrough(bitmap, patience, i32.MAX_VALUE);
    return writeFindings(address + WALK_FIXED_BYTES);
  }
  passThrough(bitmap, 0, APPROACH);
  const near = wantedAmong(look);
  const share = <f32>near / <f32>max(1, min(look, beamCount)), factor = factorFor(share, usual);
  const front = settled == 0 ? 0 : min(keep, between(settledRare, settled, share, factor));
  patience = between(patienceRare, patience, share, factor);
  resizeFront(front);
  if (near >= passFrom) passThrough(bitmap, patience, i32.MAX_VALUE);
  else if (near >= cutBelow) {
    if (factor >= ASIDE_FACTOR) beginAtWanted(bitmap, keep, ties, front);
    hopOver(bitmap, patience, enough);
  } else store<u32>(address, 1, WALK_IS_CUT);
  return writeFindings(address + WALK_FIXED_BYTES);
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

function writeFindings(entries: usize): i32 {
  let count = 0;
  for (let at = 0; at < beamCount; at++) {
    const entry = load<u64>(placeOf(at));
    if ((entry & WANTED) == 0) continue;
    const to = entries + (<usize>count << 3);
    store<f32>(to, -distanceOf(entry));
    store<u32>(to, slotOf(entry), 4);
    count++;
  }
  return count;
}
