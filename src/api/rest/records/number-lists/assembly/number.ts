// Reads one JSON number as a 32-bit float, with the same result as JSON.parse and Math.fround.
import { BLOCK, digitsValue, leadingDigits } from './digits';
import { numberEnd } from './grammar';

/** Returns what JSON.parse reads between two addresses. */
@external('env', 'parseNumber')
declare function parseNumber(start: usize, end: usize): f64;

/** Powers of ten as doubles: exact up to 10^22, then the nearest. */
const POWERS: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
  1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37,
  1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55,
]);
const POWER_MAX: i32 = 55;
/** Powers of ten as integers. */
const WHOLE_POWERS: usize = memory.data<i64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000,
  1000000000000, 10000000000000, 100000000000000, 1000000000000000, 10000000000000000,
]);
/** Numbers of this many digits are below 2^53, so dividing them by powers up to 10^22 rounds correctly. */
const EXACT_DIGITS_MAX: i32 = 15;
/** This many digits always fit into a signed 64-bit integer. */
const DIGITS_MAX: i32 = 18;
const EXPONENT_DIGITS_MAX: i32 = 3;

/** Magnitudes for which a double is well within the range of normal 32-bit floats. */
const PLAIN_MIN: f64 = 1.2e-37;
const PLAIN_MAX: f64 = 3.4e38;
const FLOAT32_NORMAL_MIN: f32 = 1.1754943508222875e-38;

/** The bits of a double that a 32-bit float lacks, and their value halfway between two floats. */
const CUT_BITS: i64 = 0x1fffffff;
const HALF_WAY: i64 = 0x10000000;
/** In units in the last place; several times the error of a computed double, which is below 4. */
const DOUBT: i64 = 16;

/** The text is not a number, or not one that is finite as a 32-bit float. */
export const NO_NUMBER: usize = 0;

/**
 * Reads the number at `start`, and stores it as a float at `to`. Reads up to 64 bytes beyond the number.
 *
 * An integer below 2^53 divided by a power of ten up to 10^22 is the correctly rounded double (W. D. Clinger, "How to
 * read floating point numbers accurately", 1990). For other numbers, the double may be off by a few units. Its
 * nearest 32-bit float is still correct, unless it is close to halfway between two floats; then JSON.parse decides.
 * @returns the end of the number, or NO_NUMBER; independent of the value, so that reading the next number need not
 *   wait
 */
@inline
export function readNumber(start: usize, to: usize): usize {
  const isNegative = load<u8>(start) == 0x2d;
  let at = start + <usize>isNegative;
  const whole = <i64>load<u8>(at) - 0x30;
  if (<u64>whole > 9 || load<u8>(at, 1) != 0x2e) return readOther(start, to);
  const block = v128.load(at, 2);
  const digits = leadingDigits(block);
  at += 2 + digits;
  let mantissa = <f64>(whole * load<i64>(WHOLE_POWERS + (<usize>digits << 3)) + digitsValue(block, digits));
  if (digits == BLOCK) {
    const next = v128.load(at);
    const more = leadingDigits(next);
    if (more == BLOCK) return readOther(start, to);
    mantissa += <f64>digitsValue(next, more) / load<f64>(POWERS + (<usize>more << 3));
    at += more;
  }
  if (digits == 0 || isExponentMark(load<u8>(at))) return readOther(start, to);
  const magnitude = mantissa / load<f64>(POWERS + (<usize>digits << 3));
  // One more digit precedes the point.
  if (digits >= EXACT_DIGITS_MAX && isDoubtful(magnitude)) return readRare(start, to);
  storeFloat(to, isNegative, magnitude);
  return at;
}

/** Like readNumber, for all other forms of numbers. */
function readOther(start: usize, to: usize): usize {
  const isNegative = load<u8>(start) == 0x2d;
  let at = start + <usize>isNegative;
  const first = v128.load(at);
  const whole = leadingDigits(first);
  if (whole == 0 || (whole > 1 && load<u8>(at) == 0x30)) return NO_NUMBER;
  let mantissa = digitsValue(first, whole);
  let fraction = 0;
  let rest: f64 = 0;
  at += whole;
  if (load<u8>(at) == 0x2e) {
    const second = v128.load(at, 1);
    fraction = leadingDigits(second);
    if (fraction == 0) return NO_NUMBER;
    if (whole + fraction > DIGITS_MAX) return readRare(start, to);
    mantissa = mantissa * load<i64>(WHOLE_POWERS + (<usize>fraction << 3)) + digitsValue(second, fraction);
    at += 1 + fraction;
    if (fraction == BLOCK) {
      const third = v128.load(at);
      const more = leadingDigits(third);
      if (more == BLOCK) return readRare(start, to);
      if (more > 0) rest = <f64>digitsValue(third, more) / load<f64>(POWERS + (<usize>more << 3));
      at += more;
    }
  } else if (whole == BLOCK) return readRare(start, to);
  let power = -fraction;
  if (isExponentMark(load<u8>(at))) {
    const sign = load<u8>(++at);
    at += <usize>(sign == 0x2b || sign == 0x2d);
    const block = v128.load(at);
    const length = leadingDigits(block);
    if (length == 0) return NO_NUMBER;
    if (length > EXPONENT_DIGITS_MAX) return readRare(start, to);
    const exponent = <i32>digitsValue(block, length);
    power += sign == 0x2d ? -exponent : exponent;
    at += length;
  }
  if (power < -POWER_MAX || power > POWER_MAX) return readRare(start, to);
  const scale = load<f64>(POWERS + (<usize>abs(power) << 3));
  const sum = <f64>mantissa + rest;
  const magnitude = power < 0 ? sum / scale : sum * scale;
  if (magnitude != 0) {
    if (!(magnitude >= PLAIN_MIN && magnitude <= PLAIN_MAX)) return readRare(start, to);
    if (isDoubtful(magnitude)) return readRare(start, to);
  }
  storeFloat(to, isNegative, magnitude);
  return at;
}

@inline
function isExponentMark(byte: u32): bool {
  return (byte | 0x20) == 0x65;
}

/** Drops the sign of a zero. */
@inline
function storeFloat(to: usize, isNegative: bool, magnitude: f64): void {
  // Branchless: a branch would be mispredicted half of the time.
  const bits = reinterpret<u32>(<f32>magnitude) ^ ((<u32>isNegative) << 31);
  store<f32>(to, reinterpret<f32>(bits) + 0);
}

@inline
function isDoubtful(value: f64): bool {
  const cut = reinterpret<i64>(value) & CUT_BITS;
  return cut >= HALF_WAY - DOUBT && cut <= HALF_WAY + DOUBT;
}

/** Like readNumber, but slow. Subnormal floats become zero, as everywhere. */
function readRare(start: usize, to: usize): usize {
  const end = numberEnd(start);
  if (end == 0) return NO_NUMBER;
  const value = <f32>parseNumber(start, end);
  if (abs(value) == Infinity) return NO_NUMBER;
  store<f32>(to, abs(value) < FLOAT32_NORMAL_MIN ? 0 : value);
  return end;
}
