// How scores compare with the integer sums that bound them.
import { SUM_COUNT_BITS, SUM_UNIT_BITS } from './layout.ts';

const BOUND_MAX = 2 ** SUM_UNIT_BITS;
/** The largest f32; larger scores, and only they, are rounded to Infinity. */
export const FLOAT_MAX = 3.4028234663852886e38;

/**
 * Slots whose sum is below the answer score less than `least` (an f32), when sums are in units of `unit`. The one unit of
 * room is also for the roundings of scores and bounds, which are a millionth of it.
 */
export function leastSum(least: number, unit: number): number {
  // Scores below the lowest float are -Infinity, too, and tie with each other.
  if (least === Number.NEGATIVE_INFINITY) return -BOUND_MAX * 2 ** SUM_COUNT_BITS;
  const bound = Math.floor(Math.max(-FLOAT_MAX, Math.min(FLOAT_MAX, least)) / unit) - 1;
  return Math.max(-BOUND_MAX, Math.min(BOUND_MAX, bound)) * 2 ** SUM_COUNT_BITS;
}
