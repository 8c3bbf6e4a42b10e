// MurmurHash3 x86 32: the hash that maps words to indices of sparse vectors, and features to positions in dense ones.

const SCRATCH_BYTES = 512;
const scratch = new Uint8Array(SCRATCH_BYTES);
const encoder = new TextEncoder();

/**
 * MurmurHash3_x86_32 (Austin Appleby, public domain) of the text's UTF-8 bytes, as an unsigned 32-bit integer.
 * Unpaired surrogates are hashed as U+FFFD, as UTF-8 encoders write them.
 */
export function murmur(text: string, seed = 0): number {
  const length = asciiInto(scratch, text);
  if (length >= 0) return hashBytes(scratch, length, seed);
  const bytes = encoder.encode(text);
  return hashBytes(bytes, bytes.length, seed);
}

/** Combines two hashes into one, for a pair of words. Not symmetric. */
export function mix(first: number, second: number): number {
  return finish(block(block(0, first), second) ^ 8);
}

/** Writes a short ASCII text; -1 when it is too long or not ASCII. */
function asciiInto(bytes: Uint8Array, text: string): number {
  if (text.length > SCRATCH_BYTES) return -1;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return -1;
    bytes[i] = code;
  }
  return text.length;
}

function hashBytes(bytes: Uint8Array, length: number, seed: number): number {
  let hash = seed | 0;
  const whole = length & ~3;
  for (let at = 0; at < whole; at += 4) hash = block(hash, wordAt(bytes, at, 4));
  if (whole < length) hash ^= scramble(wordAt(bytes, whole, length - whole));
  return finish(hash ^ length);
}

/** Up to four bytes, lowest first. */
function wordAt(bytes: Uint8Array, at: number, count: number): number {
  let word = 0;
  for (let i = count - 1; i >= 0; i--) word = (word << 8) | (bytes[at + i] ?? 0);
  return word;
}

function scramble(word: number): number {
  const product = Math.imul(word, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function block(hash: number, word: number): number {
  const mixed = hash ^ scramble(word);
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

function finish(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
