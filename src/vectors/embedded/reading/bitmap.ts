// Bitmaps of slots as arrays of 32-bit words, low bit first.

export function intersect(into: Uint32Array, other: Uint32Array, words: number): void {
  for (let i = 0; i < words; i++) into[i] = (into[i] ?? 0) & (other[i] ?? 0);
}

export function countBits(bitmap: Uint32Array, words: number): number {
  let count = 0;
  for (let i = 0; i < words; i++) {
    // Hacker's Delight, figure 5-2.
    let word = bitmap[i] ?? 0;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Slots whose bit is set, rising. */
export function* setBits(bitmap: Uint32Array, words: number): Generator<number> {
  for (let i = 0; i < words; i++) {
    for (let word = bitmap[i] ?? 0; word !== 0; word &= word - 1)
      yield i * 32 + (31 - Math.clz32(word & -word));
  }
}
