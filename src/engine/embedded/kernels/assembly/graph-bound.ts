// Upper bounds of scores, as scans compute them: of the results of a search, and of all matching nodes.
import { BEAM_ENTRY_BYTES, MAX_DEGREE_BOUND, META_NORM_SQUARED, META_RESIDUAL_NORM, SEARCH_PARAMETERS } from '../constants';
import {
  GRAPH_SCAN_BITMAP,
  GRAPH_SCAN_HEAP,
  GRAPH_SCAN_QUERY,
  GRAPH_SCAN_SLOT_LIMIT,
  GRAPH_SCAN_SPARSE_SCORES,
} from '../parameters';
import { targetQuery } from './graph-distance';
import { openGraph, rowAddresses } from './graph-state';
import { batchDistances, batchSlots, measureBatch, openScratch } from './graph-beam-search';
import { countOffered, heapThreshold, keepIfBetter, keyOf, rankOf } from './heap';
import {
  isCosine,
  isEuclidean,
  QUERY_INVERSE_NORM,
  QUERY_NORM_FACTOR,
  QUERY_NORM_SQUARED,
  QUERY_ONE_LESS_SLACK,
  QUERY_RESIDUAL_FACTOR,
} from './query';
import { SPARSE_SLACK } from './scan';
import { sortEntries } from './sort';

/**
 * Raises the keys of `count` results of `searchGraph` (key f32, slot u32) for the same query to upper bounds of their
 * scores, and sorts them best first, ties by slot. `sparseScores` is 0, or the address of an f32 per slot to add.
 */
export function boundResults(target: usize, query: usize, entries: usize, count: i32, sparseScores: usize): void {
  openGraph(target);
  for (let at = 0; at < count; at++) {
    const entry = entries + <usize>at * BEAM_ENTRY_BYTES;
    const slot = load<u32>(entry, 4);
    store<f32>(entry, boundOf(load<f32>(entry), query, slot, sparseScores));
  }
  sortResults(entries, count);
}

/** Sorts (key f32, slot u32), best first, ties by slot. */
export function sortResults(entries: usize, count: i32): void {
  for (let at = 0; at < count; at++) {
    const entry = entries + <usize>at * BEAM_ENTRY_BYTES;
    // Inverted, so that the lowest rank is the best.
    store<u64>(entry, ~rankOf(load<f32>(entry), load<u32>(entry, 4)));
  }
  sortEntries(entries, count);
  for (let at = 0; at < count; at++) {
    const entry = entries + <usize>at * BEAM_ENTRY_BYTES;
    const rank = ~load<u64>(entry);
    store<f32>(entry, keyOf(rank));
    store<u32>(entry, ~(<u32>rank), 4);
  }
}

/**
 * Offers the upper bound of every matching slot below the limit to the heap, as scans of all frames do. Rows far apart
 * load concurrently here, whereas a scan of frames waits for each.
 */
export function scanGraph(target: usize, scratchAddress: usize): void {
  const block = scratchAddress + SEARCH_PARAMETERS, limit = load<u32>(block, GRAPH_SCAN_SLOT_LIMIT);
  const query = load<usize>(block, GRAPH_SCAN_QUERY), bitmap = load<usize>(block, GRAPH_SCAN_BITMAP);
  const sparseScores = load<usize>(block, GRAPH_SCAN_SPARSE_SCORES), heap = load<usize>(block, GRAPH_SCAN_HEAP);
  openGraph(target);
  openScratch(scratchAddress, 0, limit);
  targetQuery(query);
  let count = 0;
  // Two words at a time, because most are empty at a low selectivity. Bits beyond the last word are masked.
  for (let base: u32 = 0; base < limit; base += 64) {
    let matching = load<u64>(bitmap + <usize>(base >> 3));
    if (limit - base < 64) matching &= ~(<u64>-1 << (limit - base));
    for (; matching != 0; matching &= matching - 1) {
      store<u32>(batchSlots() + (<usize>count << 2), base + <u32>ctz(matching));
      count++;
    }
    if (count <= MAX_DEGREE_BOUND - 64) continue;
    offerBounds(count, query, sparseScores, heap);
    count = 0;
  }
  offerBounds(count, query, sparseScores, heap);
}

function offerBounds(count: i32, query: usize, sparseScores: usize, heap: usize): void {
  measureBatch(count);
  countOffered(heap, count);
  for (let at: usize = 0; at < <usize>count << 2; at += 4) {
    const slot = load<u32>(batchSlots() + at);
    const key = boundOf(-load<f32>(batchDistances() + at), query, slot, sparseScores);
    if (key >= heapThreshold(heap)) keepIfBetter(heap, key, slot);
  }
}

/** The upper bound of a score that was estimated by codes. */
@inline
function boundOf(estimate: f32, query: usize, slot: u32, sparseScores: usize): f32 {
  let key = estimate + slackOf(query, slot);
  if (sparseScores != 0) {
    const sparse = load<f32>(sparseScores + (<usize>slot << 2));
    key += sparse + abs<f32>(sparse) * SPARSE_SLACK;
  }
  // A bound that could not be computed (NaN) excludes no row.
  return key == key ? key : Infinity;
}

/** By how much codes and rounding can underestimate a row's score: the offset that `keysOfFour` adds (see scan.ts). */
function slackOf(query: usize, slot: u32): f32 {
  const meta = <usize>(rowAddresses(slot) >> 32);
  const normSquared = load<f32>(meta, META_NORM_SQUARED), norm = sqrt<f32>(normSquared);
  const slack =
    load<f32>(meta, META_RESIDUAL_NORM) * load<f32>(query, QUERY_RESIDUAL_FACTOR) +
    norm * load<f32>(query, QUERY_NORM_FACTOR);
  if (isCosine(query)) return slack * (load<f32>(query, QUERY_INVERSE_NORM) / norm);
  if (!isEuclidean(query)) return slack;
  const rounding: f32 = <f32>1 - load<f32>(query, QUERY_ONE_LESS_SLACK);
  return slack + slack + rounding * (normSquared + <f32>load<f64>(query, QUERY_NORM_SQUARED));
}
