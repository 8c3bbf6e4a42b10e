// Checksums of records and their rows: a stored record ends with the checksum of its row and its own, which also covers
// its key. Records of 0.1.0 have neither.
import { crc32 } from 'node:zlib';

/** Set in the first byte of a value that has checksums. */
const HAS_SUMS = 0x80;
const SUMS_BYTES = 8;
/** Spreads the numbers of namespaces; the fractional part of the golden ratio. */
const SPREAD = 0x9e37_79b1;
/** The checksum of a row that is not known. */
export const NO_ROW_SUM = 0;

export { SUMS_BYTES };

/** The checksum of a row; never NO_ROW_SUM. */
export function rowSumOf(row: Uint8Array): number {
  return crc32(row) || 1;
}

/** Fills in the last SUMS_BYTES of a value. */
export function putSums(
  value: Buffer,
  namespaceId: number,
  { row, rowSum }: { row: number; rowSum: number },
): void {
  value[0] = (value[0] ?? 0) | HAS_SUMS;
  value.writeUInt32LE(rowSum, value.length - 8);
  value.writeUInt32LE(sumOf(value, value.length, keySeed(namespaceId, row)), value.length - 4);
}

/**
 * Checks a value read from the store.
 * @returns the checksum of its row, and where the record ends; null when the value is damaged
 */
export function takeSums(
  value: Buffer,
  namespaceId: number,
  row: number,
): { readonly rowSum: number; readonly end: number } | null {
  const { length } = value;
  if (((value[0] ?? 0) & HAS_SUMS) === 0) return { rowSum: NO_ROW_SUM, end: length };
  if (length < SUMS_BYTES) return null;
  const isWhole = value.readUInt32LE(length - 4) === sumOf(value, length, keySeed(namespaceId, row));
  return isWhole ? { rowSum: value.readUInt32LE(length - 8), end: length - SUMS_BYTES } : null;
}

/** Whether a stored value has no checksum of its own, or, where there are rows, none of its row. Verifies nothing. */
export function lacksSums(value: Buffer, hasRows: boolean): boolean {
  if (((value[0] ?? 0) & HAS_SUMS) === 0) return true;
  return hasRows && value.length >= SUMS_BYTES && value.readUInt32LE(value.length - 8) === NO_ROW_SUM;
}

/** LMDB hands out buffers that are longer than the value. */
function sumOf(value: Buffer, length: number, seed: number): number {
  return crc32(value.subarray(0, length - 4), seed);
}

function keySeed(namespaceId: number, row: number): number {
  return (Math.imul(namespaceId, SPREAD) ^ row) >>> 0;
}
