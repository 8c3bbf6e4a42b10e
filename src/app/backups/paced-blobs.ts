// Blobs that are read at a bounded rate: in ranges with pauses between them, so that no connection stays open and idle.
import type { Blobs } from '../../blobs/port.ts';

/** The bytes of one range. */
export const RANGE_BYTES = 4 * 2 ** 20;

/** @param onRead called after each range with its bytes; resolves when more may be read */
export function pacedBlobs(
  blobs: Pick<Blobs, 'get'>,
  onRead: (bytes: number) => Promise<void>,
): Pick<Blobs, 'get'> {
  return { get: (key) => readPaced(blobs, key, onRead) };
}

async function* readPaced(
  blobs: Pick<Blobs, 'get'>,
  key: string,
  onRead: (bytes: number) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for (let first = 0; ; first += RANGE_BYTES) {
    let bytes = 0;
    for await (const piece of blobs.get(key, { first, last: first + RANGE_BYTES - 1 })) {
      bytes += piece.byteLength;
      yield piece;
    }
    await onRead(bytes);
    if (bytes < RANGE_BYTES) return;
  }
}
