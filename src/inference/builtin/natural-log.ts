// A natural logarithm from basic arithmetic only, with the same bits on every machine.

const LN_2 = Math.LN2;
/** 1, 1/3, 1/5 ...: with |ratio| <= 0.2, further terms change nothing. */
const COEFFICIENTS = Float64Array.from({ length: 13 }, (_, k) => 1 / (2 * k + 1));

/** ln x for a normal positive x; error below 1e-14. Uses x = m 2^e and ln m = 2 artanh((m - 1) / (m + 1)). */
export function naturalLog(x: number): number {
  if (!(x > 0) || !Number.isFinite(x)) throw new RangeError(`no logarithm of ${x}`);
  let mantissa = x;
  let exponent = 0;
  for (; mantissa >= 1.5; exponent++) mantissa /= 2;
  for (; mantissa < 0.75; exponent--) mantissa *= 2;
  const ratio = (mantissa - 1) / (mantissa + 1);
  const square = ratio * ratio;
  let sum = 0;
  for (let k = COEFFICIENTS.length - 1; k >= 0; k--) sum = sum * square + (COEFFICIENTS[k] ?? 0);
  return 2 * ratio * sum + exponent * LN_2;
}
