// Compression of frame payloads: Zstandard where it saves much, none for random data, as most vectors are.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** These numbers are stored in frame headers. */
export const Encoding = { plain: 0, zstd: 1 } as const;

/** The lowest level: texts and ids gain little from higher ones. */
const PARAMS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Smaller savings are not worth the time (docs/decisions/024-backups.md). */
const SAVED_SHARE_MIN = 0.2;
/** Size of the sample, from the middle of a long payload, that is tried first. */
const SAMPLE_BYTES = 32 * 2 ** 10;
const SAMPLED_BYTES_MIN = 4 * SAMPLE_BYTES;
const CHUNK_BYTES_MIN = 64;

export interface Encoded {
  readonly encoding: number;
  readonly bytes: Uint8Array;
}

/** Compresses a payload, or leaves it plain where that does not save enough. */
export function encode(payload: Uint8Array): Encoded {
  if (payload.length < SAMPLED_BYTES_MIN || savesEnough(sampleOf(payload))) {
    const bytes = compressed(payload);
    if (isEnough(bytes, payload)) return { encoding: Encoding.zstd, bytes };
  }
  return { encoding: Encoding.plain, bytes: payload };
}

/** @param length of the result @returns null if the payload does not decode to that length */
export function decode({ encoding, bytes }: Encoded, length: number): Buffer | null {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === Encoding.plain) return stored.length === length ? stored : null;
  const expanded = encoding === Encoding.zstd ? expand(stored, length) : null;
  return expanded?.length === length ? expanded : null;
}

function sampleOf(payload: Uint8Array): Uint8Array {
  const first = Math.floor((payload.length - SAMPLE_BYTES) / 2);
  return payload.subarray(first, first + SAMPLE_BYTES);
}

function savesEnough(sample: Uint8Array): boolean {
  return isEnough(compressed(sample), sample);
}

function isEnough(smaller: Uint8Array, whole: Uint8Array): boolean {
  return smaller.length < whole.length * (1 - SAVED_SHARE_MIN);
}

function compressed(payload: Uint8Array): Uint8Array {
  // In one chunk: joining many takes as long as compressing them.
  return zstdCompressSync(payload, { ...PARAMS, chunkSize: Math.max(payload.length, CHUNK_BYTES_MIN) });
}

function expand(bytes: Buffer, length: number): Buffer | null {
  try {
    return zstdDecompressSync(bytes, {
      maxOutputLength: Math.max(length, 1),
      chunkSize: Math.max(length, CHUNK_BYTES_MIN),
    });
  } catch {
    return null;
  }
}
