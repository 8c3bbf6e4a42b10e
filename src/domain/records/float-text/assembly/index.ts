// Writes 32-bit floats as a JSON list, each in the fewest decimal digits that give the float back.

/** Digits every decimal keeps through a 32-bit float, digits that mostly identify one, and digits that always do. */
const DIGITS_MIN: i32 = 6;
const USUAL_DIGITS: i32 = 8;
const DIGITS_MAX: i32 = 9;
/** JSON.stringify writes smaller ones with an exponent. */
const PLAIN_MIN: f64 = 1e-6;
const PLAIN_MAX: f64 = 1e9;
/** The powers of ten from 10^-6 on. */
const POWERS: usize = memory.data<f64>([
  1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
]);
const POWERS_FROM: i32 = -6;
/** The logarithm of 2, times 2^LOG_SHIFT; rounded down, and exact enough for the exponents of a float. */
const LOG_2: i32 = 19728;
const LOG_SHIFT: i32 = 16;
/** The text of 0 to 99, two digits each. */
const PAIRS: usize = memory.data(200);
/** The text `0.000000`. */
const SMALL_START: u64 = 0x3030303030302e30;
const COMMA: u8 = 0x2c;
const DOT: u8 = 0x2e;
const MINUS: u8 = 0x2d;
const ZERO: u8 = 0x30;

for (let i: u32 = 0; i < 100; i++) store<u16>(PAIRS + 2 * i, <u16>((48 + i / 10) | ((48 + (i % 10)) << 8)));

/** From here on memory is the caller's. */
export function freeAddress(): usize {
  return (__heap_base + 15) & ~15;
}

/**
 * Writes the list, without brackets, to `to`: at most 18 bytes a float.
 * @returns where it ends; 0 when one of the floats is too small or too large to be written without exponent
 */
export function writeFloats(floats: usize, count: u32, to: usize): usize {
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) store<u8>(to++, COMMA);
    const value = load<f32>(floats + 4 * i);
    if (value == 0) {
      store<u8>(to++, ZERO);
      continue;
    }
    const size = <f64>abs(value);
    if (!(size >= PLAIN_MIN && size < PLAIN_MAX)) return 0;
    if (value < 0) store<u8>(to++, MINUS);
    to = writeSize(size, value < 0, to);
  }
  return to;
}

function writeSize(size: f64, isNegative: bool, to: usize): usize {
  // From the binary exponent: right, or one too little.
  let exponent = (<i32>((reinterpret<u64>(size) >> 52) - 1023) * LOG_2) >> LOG_SHIFT;
  exponent += i32(size >= power(exponent + 1));
  let digits = USUAL_DIGITS;
  let number = rounded(size, digits - 1 - exponent, isNegative);
  if (isSame(number, digits - 1 - exponent, size)) {
    for (; digits > DIGITS_MIN; digits--) {
      const shorter = rounded(size, digits - 2 - exponent, isNegative);
      if (!isSame(shorter, digits - 2 - exponent, size)) break;
      number = shorter;
    }
  } else {
    digits = DIGITS_MAX;
    number = rounded(size, digits - 1 - exponent, isNegative);
  }
  if (<f64>number >= power(digits)) exponent++;
  else if (number % 10 != 0) return writeDigits(number, digits, exponent, to);
  while (number % 10 == 0) number /= 10;
  return writeDigits(number, digitsOf(number), exponent, to);
}

/** With so many decimals behind the point, as an integer; halves go up, as Math.round has them. */
@inline
function rounded(size: f64, decimals: i32, isNegative: bool): u32 {
  // One exact product or quotient: powers of ten up to 1e22 are exact doubles.
  const scaled = decimals < 0 ? size / power(-decimals) : size * power(decimals);
  const whole = floor(scaled);
  const part = scaled - whole;
  return <u32>whole + u32(isNegative ? part > 0.5 : part >= 0.5);
}

@inline
function isSame(number: u32, decimals: i32, size: f64): bool {
  const read = decimals < 0 ? <f64>number * power(-decimals) : <f64>number / power(decimals);
  return <f32>read == <f32>size;
}

/** Writes d.dddd times 10^exponent; the last of the digits is not 0. */
function writeDigits(number: u32, digits: i32, exponent: i32, to: usize): usize {
  if (exponent < 0) {
    store<u64>(to, SMALL_START);
    return writeWhole(number, digits, to + 1 - exponent);
  }
  const whole = exponent + 1;
  if (digits <= whole) {
    to = writeWhole(number, digits, to);
    for (let zeros = whole - digits; zeros > 0; zeros--) store<u8>(to++, ZERO);
    return to;
  }
  // Once too far to the right by the point's place, which then takes the place of the last whole digit.
  writeWhole(number, digits, to + 1);
  memory.copy(to, to + 1, whole);
  store<u8>(to + whole, DOT);
  return to + digits + 1;
}

@inline
function writeWhole(number: u32, digits: i32, to: usize): usize {
  const end = to + digits;
  let at = end;
  for (; number > 99; number /= 100) {
    at -= 2;
    store<u16>(at, load<u16>(PAIRS + 2 * (number % 100)));
  }
  if (number > 9) store<u16>(at - 2, load<u16>(PAIRS + 2 * number));
  else store<u8>(at - 1, <u8>number + ZERO);
  return end;
}

function digitsOf(number: u32): i32 {
  let digits = 1;
  for (; number > 9; number /= 10) digits++;
  return digits;
}

@inline
function power(exponent: i32): f64 {
  return load<f64>(POWERS + 8 * (exponent - POWERS_FROM));
}
