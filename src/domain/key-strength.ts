// Estimates how many guesses a chosen key withstands, from what it looks like: an upper bound of its entropy.

const CLASSES: readonly { readonly pattern: RegExp; readonly characters: number }[] = [
  { pattern: /[0-9]/, characters: 10 },
  { pattern: /[a-f]/, characters: 6 },
  { pattern: /[g-z]/, characters: 20 },
  { pattern: /[A-F]/, characters: 6 },
  { pattern: /[G-Z]/, characters: 20 },
  { pattern: /[_-]/, characters: 2 },
  { pattern: /[^0-9a-zA-Z_-]/, characters: 31 },
];
const MIXED_CASE = /[a-z].*[A-Z]|[A-Z].*[a-z]/;
const MIXED_CASE_CHARACTERS = 62;
/** What keys of this service begin with; everybody knows it. */
const KNOWN_START = /^(pcsk_|pclocal)/;
/** Equal or neighboring characters in a row (aaaaa, 12345, edcba) from which on they are no accident. */
const ROW_MIN = 5;

/**
 * Bits of entropy of a key: each character counts for the logarithm of its alphabet, which is the sum of the classes of
 * characters that occur. Characters that go on with a row (aaaaa, 12345) count for nothing. 128 random bits in
 * hexadecimal or base64 count for 128 or more; words count for more than they are worth.
 */
export function keyBits(key: string): number {
  const secret = key.replace(KNOWN_START, '');
  const seen = CLASSES.reduce(
    (sum, { pattern, characters }) => sum + (pattern.test(secret) ? characters : 0),
    0,
  );
  // One random key in 50 has letters of both cases and happens to have no digit.
  const alphabet = MIXED_CASE.test(secret) ? Math.max(seen, MIXED_CASE_CHARACTERS) : seen;
  return Math.floor((secret.length - charactersInRows(secret)) * Math.log2(Math.max(2, alphabet)));
}

function charactersInRows(secret: string): number {
  let inRows = 0;
  let row = 1;
  let direction = Number.NaN;
  for (let i = 1; i <= secret.length; i++) {
    const step = secret.charCodeAt(i) - secret.charCodeAt(i - 1);
    if (step === direction) {
      row += 1;
      continue;
    }
    if (row >= ROW_MIN) inRows += row - 1;
    direction = Math.abs(step) <= 1 ? step : Number.NaN;
    row = 2;
  }
  return inRows;
}
