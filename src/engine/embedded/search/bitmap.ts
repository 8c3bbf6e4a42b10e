// Bitmaps of slots as arrays of 32-bit words, low bit first.

/** Yields the slots whose bit is set, in ascending order. */
export function* setBits(bitmap: Uint32Array, words: number): Generator<number> {
  for (let i = 0; i < words; i++) {
    for (let word = bitmap[i] ?? 0; word !== 0; word &= word - 1)
      yield i * 32 + (31 - Math.clz32(word & -word));
  }
}
