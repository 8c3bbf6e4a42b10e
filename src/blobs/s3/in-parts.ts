// Cuts a stream of pieces of any size into parts of a given size; the last may be shorter.

/** Grows the buffer of a part in this many steps, so that memory follows the received bytes. */
const GROWTH_BYTES = 2 ** 20;

/**
 * Parts have their own buffers; each piece is consumed before the next is requested.
 * @param sizeOf size of a part by its number, from 0
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  sizeOf: (number: number) => number,
): AsyncGenerator<Buffer, undefined> {
  let number = 0;
  let part = new Part(sizeOf(0));
  for await (const piece of content) {
    for (let at = 0; at < piece.byteLength; ) {
      at += part.add(piece.subarray(at));
      if (!part.isFull) continue;
      yield part.bytes();
      number += 1;
      part = new Part(sizeOf(number));
    }
  }
  if (!part.isEmpty) yield part.bytes();
  return undefined;
}

class Part {
  readonly #bytesMax: number;
  #into = Buffer.alloc(0);
  #used = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isFull(): boolean {
    return this.#used === this.#bytesMax;
  }

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  /** @returns the number of copied bytes */
  add(piece: Uint8Array): number {
    const taken = piece.subarray(0, this.#bytesMax - this.#used);
    this.#grow(this.#used + taken.byteLength);
    this.#into.set(taken, this.#used);
    this.#used += taken.byteLength;
    return taken.byteLength;
  }

  bytes(): Buffer {
    return this.#into.subarray(0, this.#used);
  }

  #grow(bytes: number): void {
    if (bytes <= this.#into.byteLength) return;
    const doubled = Math.max(bytes, 2 * this.#into.byteLength, GROWTH_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, doubled));
    grown.set(this.#into.subarray(0, this.#used));
    this.#into = grown;
  }
}
