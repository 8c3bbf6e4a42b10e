// A shortlist of the centroids that are worth measuring: those nearest by their binary codes.
import { GRAPH_COUNT, MAX_DEGREE_BOUND, SEARCH_ESTIMATES } from '../constants';
import { estimateCentroids } from './graph-binary-codes';
import { graph } from './graph-state';
import { batchSlots, scratch } from './graph-beam-search';
import { BISECTIONS_MAX, PROBES_MIN, SHORTLIST_MIN, SHORTLIST_PER_PROBE } from './search-tuning';
import { maxF32, sumI32 } from './lanes';


/**
 * Puts the open clusters that are likely the `most` nearest to the target, and some more, in the batch. Requires more
 * than MAX_DEGREE_BOUND clusters.
 * @returns their count
 */
export function gatherShortlist(most: i32): i32 {
  const count = load<u32>(graph, GRAPH_COUNT), estimates = scratch + SEARCH_ESTIMATES;
  estimateCentroids(estimates);
  const shortlistMin = most < PROBES_MIN ? SHORTLIST_PER_PROBE * most : max(SHORTLIST_MIN, most + (most >> 1));
  const bound = f32x4.splat(boundFor(estimates, count, shortlistMin));
  let fresh = 0;
  for (let cluster: u32 = 0; cluster < count; cluster += 4) {
    let near = i32x4.bitmask(f32x4.le(v128.load(estimates + (<usize>cluster << 2)), bound));
    for (; near != 0; near &= near - 1) {
      const at = cluster + <u32>ctz(near);
      if (at >= count || fresh == MAX_DEGREE_BOUND) break;
      store<u32>(batchSlots() + (<usize>fresh << 2), at);
      fresh++;
    }
  }
  return fresh;
}

/** A bound that `shortlistMin` to 1.5 times as many of `count` floats do not exceed; more only where they are equal. */
function boundFor(floats: usize, count: u32, shortlistMin: i32): f32 {
  const most = shortlistMin + (shortlistMin >> 1), end = floats + (<usize>count << 2);
  let lows = v128.load(floats), highs = lows;
  for (let at = floats + 16; at < end; at += 16) {
    const four = v128.load(at);
    lows = f32x4.pmin(lows, four), highs = f32x4.pmax(highs, four);
  }
  let low = -maxF32(f32x4.neg(lows)), high = maxF32(highs);
  for (let step = 0; step < BISECTIONS_MAX; step++) {
    const middle = low + (high - low) * 0.5, within = countUpTo(middle, floats, end);
    if (within < shortlistMin) low = middle;
    else high = middle;
    if (within >= shortlistMin && within <= most) break;
  }
  return high;
}

@inline
function countUpTo(bound: f32, floats: usize, end: usize): i32 {
  const bounds = f32x4.splat(bound);
  let within = i32x4.splat(0);
  for (; floats < end; floats += 16) within = i32x4.sub(within, f32x4.le(v128.load(floats), bounds));
  return sumI32(within);
}
