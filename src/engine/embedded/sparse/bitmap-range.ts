// Ranges of a bitmap of slots in shared memory: how many bits are set, and which.

/** Bits from..until - 1 of a bitmap; bit 0 is the lowest of the word `words[firstWord]`. */
export interface BitmapRange {
  readonly words: Uint32Array;
  readonly firstWord: number;
  readonly from: number;
  readonly until: number;
}

/** The number of bits set in the range; stops counting within a word of `enough`. */
export function countSet(range: BitmapRange, enough: number): number {
  let count = 0;
  for (let word = range.from >>> 5; word * 32 < range.until && count <= enough; word++)
    count += bitsOf(wordOf(range, word));
  return count;
}

export function visitSet(range: BitmapRange, visitor: (slot: number) => void): void {
  for (let word = range.from >>> 5; word * 32 < range.until; word++) {
    for (let bits = wordOf(range, word); bits !== 0; bits &= bits - 1)
      visitor(word * 32 + 31 - Math.clz32(bits & -bits));
  }
}

/** A word of the bitmap without the bits outside the range. */
function wordOf({ words, firstWord, from, until }: BitmapRange, word: number): number {
  let bits = words[firstWord + word] ?? 0;
  if (word * 32 < from) bits &= -1 << (from & 31);
  if (until - word * 32 < 32) bits &= ~(-1 << (until & 31));
  return bits;
}

/** Population count (Warren, "Hacker's Delight", figure 5-2). */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
