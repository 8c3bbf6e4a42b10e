// Splits the parts of a snapshot into chunks, each with a checksum of its own.
import { type StoredPart, sizeOf } from './parts.ts';

/** Large enough that calls cost little, small enough that copying and checksumming a chunk takes 0.3 ms. */
export const CHUNK_BYTES = 1_048_576;

export interface Chunk {
  /** Index among all chunks of the file. */
  readonly number: number;
  /** Index of its part. */
  readonly part: number;
  /** Its first byte in the part, and in the file's data. */
  readonly from: number;
  readonly position: number;
  readonly bytes: number;
}

/** All chunks in the file's order. No chunk spans two parts, so that damage to one part leaves the others intact. */
export function chunksOf(parts: readonly StoredPart[], chunkBytes: number): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let position = 0;
  for (const [part, stored] of parts.entries()) {
    const size = sizeOf(stored);
    for (let from = 0; from < size; from += chunkBytes) {
      const bytes = Math.min(chunkBytes, size - from);
      chunks.push({ number: chunks.length, part, from, position, bytes });
      position += bytes;
    }
  }
  return chunks;
}

/** Number of chunks that `chunksOf` would return. */
export function countChunks(parts: readonly StoredPart[], chunkBytes: number): number {
  return parts.reduce((sum, part) => sum + Math.ceil(sizeOf(part) / chunkBytes), 0);
}

/** The share of one of several threads: adjacent chunks, so that each thread reads sequentially. */
export function shareOf<T>(chunks: readonly T[], { index, of }: Share): readonly T[] {
  if (!Number.isInteger(index) || !Number.isInteger(of) || index < 0 || index >= of)
    throw new RangeError(`there is no share ${index} of ${of}`);
  const border = (share: number) => Math.floor((chunks.length * share) / of);
  return chunks.slice(border(index), border(index + 1));
}

export interface Share {
  readonly index: number;
  readonly of: number;
}
