// How far a Parquet file may unpack: readers refuse what goes beyond, and writers end a file before.

/** Text compresses at most a hundredfold, bombs a thousandfold and more. */
export const UNPACKED_RATIO_MAX = 100;
/** A free allowance: few records that are all alike compress further. */
const UNPACKED_BYTES_FREE = 256 * 1024 * 1024;

/** Bound on the unpacked bytes of a file of so many bytes. */
export function unpackedBytesMax(fileBytes: number): number {
  return UNPACKED_BYTES_FREE + fileBytes * UNPACKED_RATIO_MAX;
}
