// The reflection of a result through the query: where the other half of the answer lies for a query between two groups
// of rows (docs/decisions/067-reflected-search.md).
import { MAX_DEGREE_BOUND, META_SCALE, METRIC_COSINE } from '../constants';
import { batchDistances, batchSlots, measureBatch, openScratch } from './graph-beam-search';
import { describeRow, rowCodes, targetQuery } from './graph-distance';
import { metric, openGraph, rowAddresses } from './graph-state';
import { QUERY_DIM, QUERY_FLOATS, QUERY_NORM_SQUARED } from './query';

/**
 * Writes the reflection of a slot's row through the query as floats to `reflection`: 2 q - x, with q, by cosine, as long
 * as the row's part in its direction.
 */
export function reflectRow(target: usize, query: usize, slot: u32, reflection: usize): void {
  openGraph(target);
  describeRow(slot);
  const scale = load<f32>(<usize>(rowAddresses(slot) >> 32), META_SCALE);
  const floats = load<usize>(query, QUERY_FLOATS), dim = load<i32>(query, QUERY_DIM);
  let length: f64 = 1;
  if (metric == METRIC_COSINE) {
    let product: f64 = 0;
    for (let at = 0; at < dim; at++) product += <f64>load<f32>(floats + (<usize>at << 2)) * <f64>codeAt(at);
    length = (product * <f64>scale) / load<f64>(query, QUERY_NORM_SQUARED);
  }
  const twice = <f32>(2 * length);
  for (let at = 0; at < dim; at++) {
    const component = twice * load<f32>(floats + (<usize>at << 2)) - scale * <f32>codeAt(at);
    store<f32>(reflection + (<usize>at << 2), component);
  }
}

@inline
function codeAt(at: i32): i32 {
  return load<i8>(rowCodes + <usize>at);
}

/** Writes the keys (f32) of `count` results whose slots (u32) are known, by their rows' codes. */
export function keyResults(target: usize, query: usize, entries: usize, count: i32, scratchAddress: usize): void {
  openGraph(target);
  openScratch(scratchAddress, 0, 0);
  targetQuery(query);
  for (let first = 0; first < count; first += MAX_DEGREE_BOUND) {
    keyBatch(entries + (<usize>first << 3), min(MAX_DEGREE_BOUND, count - first));
  }
}

function keyBatch(entries: usize, count: i32): void {
  for (let at: usize = 0; at < <usize>count; at++) {
    store<u32>(batchSlots() + (at << 2), load<u32>(entries + (at << 3), 4));
  }
  measureBatch(count);
  for (let at: usize = 0; at < <usize>count; at++) store<f32>(entries + (at << 3), -load<f32>(batchDistances() + (at << 2)));
}
