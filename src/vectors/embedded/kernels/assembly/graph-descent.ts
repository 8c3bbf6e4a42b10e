// Where walks begin: at the nodes of the layer above that are nearest to the target, found there by a walk of the same kind.
import {
  GRAPH_ENTRIES,
  GRAPH_ENTRIES_MAX,
  GRAPH_ENTRY_COUNT,
  LINKS_BOUND,
  WALK_BEGINNINGS,
  WALK_BEGINNINGS_MAX,
} from '../constants';
import { beamCount, beamSlot, boundBeam, isWantedAt, resetBeam } from './graph-beam';
import { above, graph, isPresent, nodesBelow, openGraph, stepUp } from './graph-state';
import { clearVisited, gather, limitSlots, offerBatch, passThrough, scratch, slotLimit } from './graph-walk';

/** A layer of so few nodes is measured whole, and those above it are passed over. */
const TOP_NODES_MAX: u32 = 256;
/**
 * The beam of a walk in a layer: wanted nodes, those at one distance at most (ways in are to differ), and nodes of all
 * kinds, so that rare ones are not sought all over. All of them are expanded: with the nearest four alone, one walk in
 * twenty among a million rows ended in a wrong region (docs/decisions/015).
 */
const LAYER_BREADTH: i32 = 12;
const LAYER_TIES: i32 = 2;
const LAYER_PLACES: i32 = 64;
/** Nearest nodes of all kinds at which the walk below begins, besides wanted ones. */
const NEAREST: i32 = 4;

let beginnings: i32 = 0;

/**
 * Fills the beam with the `keep` nearest wanted nodes found, and the unwanted ones between them, nearest first.
 * `bitmap` tells which slots are wanted (0 = all); `ties` is how many wanted ones at one distance it takes at most.
 * @returns entries of the beam
 */
export function walk(keep: i32, bitmap: usize, ties: i32): i32 {
  findBeginnings(bitmap);
  walkOn(keep, bitmap, ties);
  return beamCount;
}

function walkOn(keep: i32, bitmap: usize, ties: i32): void {
  resetBeam(keep, ties, 0);
  enter(bitmap);
  passThrough(bitmap, 0, i32.MAX_VALUE);
}

/** Goes down the layers above the open graph, looking for what is wanted. Uses the beam. */
export function findBeginnings(bitmap: usize): void {
  beginnings = 0;
  if (above != 0) descend(bitmap);
}

function descend(bitmap: usize): void {
  const below = graph, limit = slotLimit, step = stepUp();
  openGraph(above);
  limitSlots(nodesBelow(limit, step));
  if (slotLimit > TOP_NODES_MAX && above != 0) descend(bitmap);
  const places = boundBeam(LAYER_PLACES);
  if (slotLimit > TOP_NODES_MAX) walkOn(LAYER_BREADTH, bitmap, LAYER_TIES);
  else measureAll(bitmap);
  boundBeam(places);
  openGraph(below);
  limitSlots(limit);
  takeBeginnings(step);
}

function measureAll(bitmap: usize): void {
  resetBeam(LAYER_BREADTH, LAYER_TIES, 0);
  clearVisited();
  let fresh = 0;
  for (let node: u32 = 0; node < slotLimit; node++) {
    if (!isPresent(node)) continue;
    fresh = gather(node, fresh);
    if (fresh < LINKS_BOUND) continue;
    offerBatch(fresh, bitmap);
    fresh = 0;
  }
  offerBatch(fresh, bitmap);
}

/** How many places there are, after `walk`, at which it began. */
@inline
export function beginningCount(): i32 {
  return beginnings;
}

/**
 * Fills the beam with the `keep` nearest nodes found from the beginning `at` on, without those that any walk has met since
 * the last that began anew: so that each ends in a region of its own.
 * @returns entries of the beam
 */
export function walkAside(at: i32, keep: i32, ties: i32): i32 {
  const slot = load<u32>(scratch + (<usize>at << 2), WALK_BEGINNINGS);
  resetBeam(keep, ties, 0);
  if (slot >= slotLimit || !isPresent(slot)) return 0;
  offerBatch(gather(slot, 0), 0);
  passThrough(0, 0, i32.MAX_VALUE);
  return beamCount;
}

/** Adds what the layer above, `step` higher, has found, as far as it is here, to what those above it have. */
function takeBeginnings(step: u32): void {
  for (let at = 0; at < beginnings; at++) {
    const place = scratch + (<usize>at << 2);
    store<u32>(place, load<u32>(place, WALK_BEGINNINGS) << step, WALK_BEGINNINGS);
  }
  for (let at = 0; at < beamCount && beginnings < WALK_BEGINNINGS_MAX; at++) {
    const slot = beamSlot(at) << step;
    if (at >= NEAREST && isWantedAt(at) == 0) continue;
    store<u32>(scratch + (<usize>beginnings << 2), slot, WALK_BEGINNINGS);
    beginnings++;
  }
}

/** Begins a walk, in an empty beam: measures where it enters the graph. */
export function enter(bitmap: usize): void {
  clearVisited();
  let fresh = 0;
  for (let at = 0; at < beginnings; at++) {
    const slot = load<u32>(scratch + (<usize>at << 2), WALK_BEGINNINGS);
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  const entries = min(atomic.load<u32>(graph, GRAPH_ENTRY_COUNT), <u32>GRAPH_ENTRIES_MAX);
  for (let at: u32 = 0; at < entries; at++) {
    const slot = atomic.load<u32>(graph + (<usize>at << 2), GRAPH_ENTRIES);
    // An entry that another thread is about to note reads as 0.
    if (slot < slotLimit && isPresent(slot)) fresh = gather(slot, fresh);
  }
  offerBatch(fresh, bitmap);
}
