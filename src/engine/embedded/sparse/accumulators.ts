// How scores compare with the integer sums that bound them.
import { SUM_COUNT_BITS, SUM_UNIT_BITS } from './layout.ts';

const BOUND_MAX = 2 ** SUM_UNIT_BITS;
/** The largest f32; only larger scores are rounded to Infinity. */
export const FLOAT_MAX = 3.4028234663852886e38;

/**
 * The least sum, in units of `unit`, of a slot whose score may reach `least` (an f32). One unit of slack covers the
 * rounding of scores and bounds, which is a millionth of it.
 */
export function leastSum(least: number, unit: number): number {
  // Scores below the lowest float are -Infinity, and tie with one another.
  if (least === Number.NEGATIVE_INFINITY) return -BOUND_MAX * 2 ** SUM_COUNT_BITS;
  const bound = Math.floor(Math.max(-FLOAT_MAX, Math.min(FLOAT_MAX, least)) / unit) - 1;
  return Math.max(-BOUND_MAX, Math.min(BOUND_MAX, bound)) * 2 ** SUM_COUNT_BITS;
}
