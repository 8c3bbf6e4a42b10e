// Pieces of any size as pieces of a good one for going to another thread: few messages, little memory.

export const GATHERED_BYTES = 2 ** 19;

/** The same bytes in buffers of their own; the caller's are copied, not moved. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let into = new Uint8Array(GATHERED_BYTES);
  let used = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; ) {
      const length = Math.min(piece.length - at, into.length - used);
      into.set(piece.subarray(at, at + length), used);
      at += length;
      used += length;
      if (used < into.length) continue;
      yield into;
      into = new Uint8Array(GATHERED_BYTES);
      used = 0;
    }
  }
  if (used > 0) yield into.slice(0, used);
}
