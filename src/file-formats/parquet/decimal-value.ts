// Numbers of Parquet that JSON numbers may not hold: those become texts.

/** The number; beyond 2^53 its text, since JSON numbers do not hold it. */
export function wholeValue(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/**
 * The decimal `unscaled * 10^-scale`: the number whose shortest text is this very decimal, or its text with all digits
 * where there is none, or where it is beyond 2^53.
 * @param scale digits behind the point, at least 0
 */
export function decimalValue(unscaled: bigint, scale: number): number | string {
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const sign = unscaled < 0n ? '-' : '';
  const text = `${sign}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
  const number = Number(text);
  const isHeld = Math.abs(number) <= Number.MAX_SAFE_INTEGER && isTextOf(number, digits, point);
  return isHeld ? number : text;
}

/** Compares significant digits, and where the first of them stands. */
function isTextOf(number: number, digits: string, point: number): boolean {
  if (number === 0) return !/[1-9]/.test(digits);
  const [mantissa = '', exponent] = Math.abs(number).toExponential().split('e');
  const first = digits.search(/[1-9]/);
  const significant = digits.slice(first).replace(/0+$/, '');
  return mantissa.replace('.', '') === significant && Number(exponent) === point - 1 - first;
}
