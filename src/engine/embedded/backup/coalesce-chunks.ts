// Merges chunks of any size into chunks of a good size for sending to another thread: few messages, little memory.

export const COALESCED_BYTES = 2 ** 19;

/** Yields the same bytes in buffers of their own. Long chunks that fill their buffer are passed on, others are copied. */
export async function* coalesced(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let into = new Uint8Array(COALESCED_BYTES);
  let used = 0;
  for await (const piece of pieces) {
    if (fillsItsBuffer(piece)) {
      if (used > 0) yield into.slice(0, used);
      used = 0;
      yield piece;
      continue;
    }
    for (let at = 0; at < piece.length; ) {
      const length = Math.min(piece.length - at, into.length - used);
      into.set(piece.subarray(at, at + length), used);
      at += length;
      used += length;
      if (used < into.length) continue;
      yield into;
      into = new Uint8Array(COALESCED_BYTES);
      used = 0;
    }
  }
  if (used > 0) yield into.slice(0, used);
}

function fillsItsBuffer(piece: Uint8Array): piece is Uint8Array<ArrayBuffer> {
  const { buffer, length } = piece;
  return length >= COALESCED_BYTES && length === buffer.byteLength && buffer instanceof ArrayBuffer;
}
