// Bitmaps over slots: one bit per slot, 32 per word; bits past the last slot are always 0.

/** Maximum bitmaps kept for reuse. */
const POOLED_MAX = 64;

/** Reuses the memory of bitmaps. */
class BitmapPool {
  readonly #free: ArrayBuffer[] = [];

  /** Allocates a zeroed bitmap of `ceil(slotCount / 32)` words. */
  take(slotCount: number): Uint32Array {
    const words = Math.ceil(slotCount / 32);
    const fit = this.#free.findLastIndex((buffer) => buffer.byteLength >= words * 4);
    const [buffer] = fit < 0 ? [] : this.#free.splice(fit, 1);
    // Powers of two, so that a growing namespace does not make every pooled bitmap useless.
    if (buffer === undefined) return new Uint32Array(new ArrayBuffer(roundUp(words) * 4), 0, words);
    return new Uint32Array(buffer, 0, words).fill(0);
  }

  /** Frees a bitmap; the caller must not touch it any more. */
  give(bitmap: Uint32Array): void {
    if (this.#free.length === POOLED_MAX) this.#free.shift();
    if (bitmap.buffer instanceof ArrayBuffer) this.#free.push(bitmap.buffer);
  }
}

/** One pool serves all readers of a thread: there are many namespaces, but few evaluations at a time. */
export const bitmaps = new BitmapPool();

function roundUp(words: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(words, 32)));
}

/** Clears the bits that `other` does not have. @returns false when none is left */
export function intersect(bitmap: Uint32Array, other: Uint32Array): boolean {
  let left = 0;
  for (let at = 0; at < bitmap.length; at++) {
    const word = (bitmap[at] ?? 0) & (other[at] ?? 0);
    bitmap[at] = word;
    left |= word;
  }
  return left !== 0;
}

/** Sets the bits of `other`. */
export function unite(bitmap: Uint32Array, other: Uint32Array): void {
  for (let at = 0; at < bitmap.length; at++) bitmap[at] = (bitmap[at] ?? 0) | (other[at] ?? 0);
}

/** Inverts the first `slotCount` bits. */
export function invert(bitmap: Uint32Array, slotCount: number): void {
  for (let at = 0; at < bitmap.length; at++) bitmap[at] = ~(bitmap[at] ?? 0);
  if (slotCount % 32 !== 0) {
    const last = bitmap.length - 1;
    bitmap[last] = (bitmap[last] ?? 0) & ((1 << (slotCount % 32)) - 1);
  }
}

/** Yields the slots whose bit is set in the first `words` words, in ascending order. */
export function* setBits(bitmap: Uint32Array, words = bitmap.length): Generator<number> {
  for (let i = 0; i < words; i++) {
    for (let word = bitmap[i] ?? 0; word !== 0; word &= word - 1)
      yield i * 32 + (31 - Math.clz32(word & -word));
  }
}

export function clearBit(bitmap: Uint32Array, slot: number): void {
  bitmap[slot >>> 5] = (bitmap[slot >>> 5] ?? 0) & ~(1 << (slot & 31));
}
