// Chooses the centres that are worth measuring: those that are likely to be nearest by their sketches.
import { GRAPH_COUNT, LINKS_BOUND, WALK_ESTIMATES } from '../constants';
import { estimateCentres } from './graph-binary-codes';
import { graph } from './graph-state';
import { batchSlots, scratch } from './graph-beam-search';
import { maxF32, sumI32 } from './lanes';

/** Centres chosen, at least: 0.92 of the nearest 8 of 724 are among the likeliest 32 (docs/decisions/017-graph-search.md). */
const LIKELY_MIN: i32 = 32;
/** Halvings after which a bound is as near as it gets: the rest are ties. */
const STEPS_MAX: i32 = 24;

/**
 * Puts the open regions that are likely to be the `most` nearest to the sketched target in the batch, and some more; there
 * must be more than LINKS_BOUND regions. @returns how many
 */
export function gatherLikely(most: i32): i32 {
  const count = load<u32>(graph, GRAPH_COUNT), estimates = scratch + WALK_ESTIMATES;
  estimateCentres(estimates);
  const least = max(LIKELY_MIN, most + (most >> 1));
  const bound = f32x4.splat(boundFor(estimates, count, least));
  let fresh = 0;
  for (let region: u32 = 0; region < count; region += 4) {
    let near = i32x4.bitmask(f32x4.le(v128.load(estimates + (<usize>region << 2)), bound));
    for (; near != 0; near &= near - 1) {
      const at = region + <u32>ctz(near);
      if (at >= count || fresh == LINKS_BOUND) break;
      store<u32>(batchSlots() + (<usize>fresh << 2), at);
      fresh++;
    }
  }
  return fresh;
}

/** A number that `least` of `count` floats do not exceed, or half as many more; more than that only where these are equal. */
function boundFor(floats: usize, count: u32, least: i32): f32 {
  const most = least + (least >> 1), end = floats + (<usize>count << 2);
  let lows = v128.load(floats), highs = lows;
  for (let at = floats + 16; at < end; at += 16) {
    const four = v128.load(at);
    lows = f32x4.pmin(lows, four), highs = f32x4.pmax(highs, four);
  }
  let low = -maxF32(f32x4.neg(lows)), high = maxF32(highs);
  for (let step = 0; step < STEPS_MAX; step++) {
    const middle = low + (high - low) * 0.5, below = countUpTo(middle, floats, end);
    if (below < least) low = middle;
    else high = middle;
    if (below >= least && below <= most) break;
  }
  return high;
}

@inline
function countUpTo(bound: f32, floats: usize, end: usize): i32 {
  const bounds = f32x4.splat(bound);
  let below = i32x4.splat(0);
  for (; floats < end; floats += 16) below = i32x4.sub(below, f32x4.le(v128.load(floats), bounds));
  return sumI32(below);
}
