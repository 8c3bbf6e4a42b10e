// Finds the ends of numbers and strings in JSON text.

/** The end of the number at `at`; 0 when there is none. */
export function numberEnd(at: usize): usize {
  if (load<u8>(at) == 0x2d) at++;
  const whole = digitsEnd(at);
  if (whole == at || (whole > at + 1 && load<u8>(at) == 0x30)) return 0;
  at = whole;
  if (load<u8>(at) == 0x2e) {
    const end = digitsEnd(at + 1);
    if (end == at + 1) return 0;
    at = end;
  }
  if ((load<u8>(at) | 0x20) != 0x65) return at;
  at++;
  if (load<u8>(at) == 0x2b || load<u8>(at) == 0x2d) at++;
  const end = digitsEnd(at);
  return end == at ? 0 : end;
}

function digitsEnd(at: usize): usize {
  while (<u32>load<u8>(at) - 0x30 < 10) at++;
  return at;
}

@inline
export function spaceEnd(at: usize): usize {
  while (load<u8>(at) <= 0x20 && isSpace(load<u8>(at))) at++;
  return at;
}

@inline
function isSpace(byte: u32): bool {
  return byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09;
}

/** The end of the string whose first character is at `at`; `end` or more if it is not terminated before. */
export function stringEnd(at: usize, end: usize): usize {
  while (at < end) {
    const block = v128.load(at);
    const stops = v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c)));
    const mask = i8x16.bitmask(stops);
    if (mask == 0) {
      at += 16;
      continue;
    }
    at += ctz(mask);
    if (load<u8>(at) == 0x22) return at + 1;
    at += 2;
  }
  return at;
}
