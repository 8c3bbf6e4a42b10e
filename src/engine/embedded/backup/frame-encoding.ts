// How the payload of a frame is made smaller: by Zstandard where that saves much, not at all where it is noise, as vectors mostly are.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Numbers stand in headers of frames. */
export const Encoding = { plain: 0, zstd: 1 } as const;

/** The least effort: texts and ids gain little from more. */
const PARAMS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Less is not worth the time: docs/decisions/024-backups.md has what it costs. */
const SAVED_SHARE_MIN = 0.2;
/** Of a long payload so much is tried first, from its middle. */
const SAMPLE_BYTES = 32 * 2 ** 10;
const SAMPLED_BYTES_MIN = 4 * SAMPLE_BYTES;
const CHUNK_BYTES_MIN = 64;

export interface Encoded {
  readonly encoding: number;
  readonly bytes: Uint8Array;
}

/** Smaller, or plain where that does not save enough. */
export function encode(payload: Uint8Array): Encoded {
  if (payload.length < SAMPLED_BYTES_MIN || savesEnough(sampleOf(payload))) {
    const bytes = compressed(payload);
    if (isEnough(bytes, payload)) return { encoding: Encoding.zstd, bytes };
  }
  return { encoding: Encoding.plain, bytes: payload };
}

/** @param length of the result @returns null when it cannot be that */
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
  // In one chunk: joining many takes as long as making them.
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
