// Search of a graph: chooses how to walk by what lies around the query.
import { WALK_FIXED_BYTES, WALK_IS_CUT } from '../constants';
import { beamCount, distanceOf, placeOf, resetBeam, slotOf, WANTED, wantedAmong } from './graph-beam';
import { enter, findBeginnings } from './graph-descent';
import { targetQuery } from './graph-distance';
import { hopOver } from './graph-hops';
import { openGraph } from './graph-state';
import { openScratch, passThrough } from './graph-walk';
import { QUERY_RESIDUAL_FACTOR } from './query';

/** Nearest nodes to be expanded before a walk looks what share of the nodes around the query is wanted. */
const APPROACH: i32 = 16;

/**
 * Writes the `keep` best wanted nodes found to the places of the beam as (key f32, slot u32), best first; a key is the
 * score by codes, higher = better. With `look`, counts the wanted among the `look` nearest nodes of all kinds: fewer than
 * `cutBelow` end the search; `passFrom` or more are reached through unwanted ones, others by hops over them.
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
  look: i32,
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
  findBeginnings(bitmap);
  resetBeam(keep, ties, settled);
  enter(bitmap);
  if (bitmap == 0 || look == 0) {
    passThrough(bitmap, patience, i32.MAX_VALUE);
    return writeFindings(address + WALK_FIXED_BYTES);
  }
  passThrough(bitmap, 0, APPROACH);
  const near = wantedAmong(look);
  if (near >= passFrom) passThrough(bitmap, patience, i32.MAX_VALUE);
  else if (near >= cutBelow) hopOver(bitmap, patience, enough);
  else store<u32>(address, 1, WALK_IS_CUT);
  return writeFindings(address + WALK_FIXED_BYTES);
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
