// The neighbors of a 64-bit float: what makes an open bound a closed one.

/** The smallest number above `value`; NaN for Infinity and NaN. */
export function nextAbove(value: number): number {
  if (Number.isNaN(value) || value === Number.POSITIVE_INFINITY) return Number.NaN;
  const number = new Float64Array([value + 0]);
  const bits = new BigInt64Array(number.buffer);
  bits[0] = (bits[0] ?? 0n) + (value < 0 ? -1n : 1n);
  return number[0] ?? Number.NaN;
}

/** The largest number below `value`; NaN for -Infinity and NaN. */
export function nextBelow(value: number): number {
  return -nextAbove(-value);
}
