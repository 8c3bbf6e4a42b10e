// How the payload of a frame is made smaller: by Zstandard, which for floats works far better on their bytes sorted by significance.
//
// Signs and exponents of neighbouring values are alike, the rest is noise; in a plane of their own they shrink to less than
// half. (Alted, "Why modern CPUs are starving and what can be done about it", 2010, calls it shuffling.)
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Numbers stand in headers of frames. */
export const Encoding = { plain: 0, zstd: 1, floats: 2 } as const;

/** The least effort: the noise gains nothing from more. */
const PARAMS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Less is not worth the expanding. */
const SAVED_SHARE_MIN = 0.05;
const PLANES = Float32Array.BYTES_PER_ELEMENT;
const CHUNK_BYTES_MIN = 64;

export interface Encoded {
  readonly encoding: number;
  readonly bytes: Uint8Array;
}

/** In the encoding that is wanted, or plain where it does not help. */
export function encode(payload: Uint8Array, wanted: number): Encoded {
  const plain = { encoding: Encoding.plain, bytes: payload };
  if (wanted === Encoding.plain) return plain;
  // In one chunk: joining many takes as long as making them.
  const options = { ...PARAMS, chunkSize: Math.max(payload.length, CHUNK_BYTES_MIN) };
  const bytes = zstdCompressSync(wanted === Encoding.floats ? toPlanes(payload) : payload, options);
  return bytes.length < payload.length * (1 - SAVED_SHARE_MIN) ? { encoding: wanted, bytes } : plain;
}

/** @param length of the result @returns null when it cannot be that */
export function decode({ encoding, bytes }: Encoded, length: number): Buffer | null {
  const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === Encoding.plain) return stored.length === length ? stored : null;
  const isKnown = encoding === Encoding.zstd || (encoding === Encoding.floats && length % PLANES === 0);
  const expanded = isKnown ? expand(stored, length) : null;
  if (expanded?.length !== length) return null;
  return encoding === Encoding.floats ? fromPlanes(expanded) : expanded;
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

/** Used again and again: frames are encoded one after the other, and memory that is left behind is collected late. */
let scratch = new Uint8Array(0);

/** First bytes of all floats, then the second ones, and so on. Good until the next call. */
function toPlanes(floats: Uint8Array): Uint8Array {
  const words = wordsOf(floats);
  const count = words.length;
  if (scratch.length < floats.length) scratch = new Uint8Array(floats.length);
  const planes = scratch.subarray(0, floats.length);
  // In one pass and without a loop over the planes: twice as fast.
  for (let i = 0; i < count; i++) {
    const word = words[i] ?? 0;
    planes[i] = word;
    planes[count + i] = word >>> 8;
    planes[2 * count + i] = word >>> 16;
    planes[3 * count + i] = word >>> 24;
  }
  return planes;
}

function fromPlanes(planes: Uint8Array): Buffer {
  const count = planes.length / PLANES;
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] =
      (planes[i] ?? 0) |
      ((planes[count + i] ?? 0) << 8) |
      ((planes[2 * count + i] ?? 0) << 16) |
      ((planes[3 * count + i] ?? 0) << 24);
  }
  return Buffer.from(words.buffer);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const isAligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset, byteLength } = isAligned ? bytes : new Uint8Array(bytes);
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT);
}
