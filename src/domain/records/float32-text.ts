// Prints 32-bit floats in their shortest decimal form, so that a stored 0.1 is returned as 0.1.
import { isPlain, plainListText } from './float-text/plain-list.ts';

/** Digits every decimal keeps through a 32-bit float, and digits that always identify one. */
const DIGITS_MIN = 6;
const DIGITS_MAX = 9;
const FLOAT32_MAX = 3.4028234663852886e38;
/** Within these magnitudes every power of ten needed below is exact in a double (at most 1e22). */
const SCALED_MIN = 1e-12;
const SCALED_MAX = 1e9;
const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * The double with the fewest decimal digits (at most 9) that rounds to the given 32-bit float. Printed by
 * JavaScript, it is the shortest text of the float. `value` must be a 32-bit float already (as read from a Float32Array).
 */
export function shortestDouble(value: number): number {
  const magnitude = Math.abs(value);
  if (!(magnitude >= SCALED_MIN && magnitude < SCALED_MAX)) return value === 0 ? 0 : searchByText(value);
  const exponent = Math.floor(Math.log10(magnitude));
  for (let digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
    const candidate = roundToDecimals(value, digits - 1 - exponent);
    if (Math.fround(candidate) === value) return candidate;
  }
  return searchByText(value);
}

/** JSON text of the array. */
export function float32ArrayText(values: Float32Array): string {
  // Models give many a vector a few components so near to 0 that they need an exponent; the runs between them are plain.
  const runs: string[] = [];
  let first = 0;
  for (let at = 0; at <= values.length; at++) {
    const value = values[at];
    if (value !== undefined && isPlain(value)) continue;
    if (at > first) runs.push(plainListText(values.subarray(first, at)) ?? '');
    if (value !== undefined) runs.push(JSON.stringify(shortestDouble(value)));
    first = at + 1;
  }
  return `[${runs.join(',')}]`;
}

/** JSON text of a score, whatever arithmetic overflowed on the way to it. */
export function scoreText(score: number): string {
  return String(shortestDouble(boundedScore(score)));
}

/** Returns a score as responses show it: a finite 32-bit number. */
export function boundedScore(score: number): number {
  if (Number.isNaN(score)) return 0;
  return Math.fround(Math.min(Math.max(score, -FLOAT32_MAX), FLOAT32_MAX));
}

/** One exact product and one exact quotient: integers under 2^53 and powers of ten up to 1e22 are exact doubles. */
function roundToDecimals(value: number, decimals: number): number {
  if (decimals >= 0) {
    const power = POWERS_OF_TEN[decimals] ?? 1;
    return Math.round(value * power) / power;
  }
  const power = POWERS_OF_TEN[-decimals] ?? 1;
  return Math.round(value / power) * power;
}

function searchByText(value: number): number {
  for (let digits = DIGITS_MIN; digits < DIGITS_MAX; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return Number(value.toPrecision(DIGITS_MAX));
}
