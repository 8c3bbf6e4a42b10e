// The frame of a gRPC message: a compression flag, four bytes of length, the message.
import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { fault, invalid } from '../../domain/faults.ts';
import { DATA_REQUEST_BYTES_MAX } from '../../domain/limits.ts';

export const FRAME_HEAD_BYTES = 5;
/** Bound on a decompressed message: twice the documented limit, so that one slightly too large gets the endpoint's message. */
const UNPACKED_BYTES_MAX = 2 * DATA_REQUEST_BYTES_MAX;
const PLAIN = 0;
const COMPRESSED = 1;
/** Of the size at the end of gzip. */
const SIZE_BYTES = 4;
const NO_GZIP = 'The message of the request is not valid gzip';

/**
 * Returns the message of a unary request.
 * @param unpackedBytesMax the bound on a message that comes compressed
 * @throws invalid-argument unless there is exactly one, payload-too-large if it decompresses to too much
 */
export function unframe(frame: Uint8Array, unpackedBytesMax = UNPACKED_BYTES_MAX): Uint8Array {
  if (frame.byteLength < FRAME_HEAD_BYTES) throw invalid('The request holds no whole message');
  const { buffer, byteOffset, byteLength } = frame;
  const length = new DataView(buffer, byteOffset, byteLength).getUint32(1);
  const message = frame.subarray(FRAME_HEAD_BYTES);
  if (length > message.byteLength) throw invalid('The message of the request is cut off');
  if (length < message.byteLength) throw invalid('The request holds more than one message');
  const [flag] = frame;
  if (flag === PLAIN) return message;
  if (flag === COMPRESSED) return unpack(message, unpackedBytesMax);
  throw invalid('The request is not a gRPC message');
}

/**
 * The bytes that a frame counts for: those of its message once it is decompressed. A compressed message says how many they
 * are, and `unframe` refuses one that says it wrong.
 * @param pieces of the frame @throws payload-too-large for a message that says that it decompresses to too much
 */
export function countedBytes(pieces: readonly Uint8Array[]): number {
  const received = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const [flag] = pieces.find(({ byteLength }) => byteLength > 0) ?? [];
  if (flag !== COMPRESSED || received < FRAME_HEAD_BYTES + SIZE_BYTES) return received;
  const unpacked = saidSize(lastBytes(pieces, SIZE_BYTES));
  if (unpacked > UNPACKED_BYTES_MAX) throw fault('payload-too-large', { bytes: UNPACKED_BYTES_MAX });
  return Math.max(received, FRAME_HEAD_BYTES + unpacked);
}

function unpack(message: Uint8Array, bytesMax: number): Uint8Array {
  const unpacked = gunzipped(message, bytesMax);
  // More than one member, or something behind it: the size at the end is not that of all, by which writes are counted.
  if (saidSize(message) !== unpacked.byteLength) throw invalid(NO_GZIP);
  return unpacked;
}

function gunzipped(message: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return gunzipSync(message, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw fault('payload-too-large', { bytes: bytesMax });
    throw invalid(NO_GZIP);
  }
}

/** The decompressed size that stands at the end of gzip; it is exact below 4 GiB. */
function saidSize({ buffer, byteOffset, byteLength }: Uint8Array): number {
  return new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - SIZE_BYTES, true);
}

function lastBytes(pieces: readonly Uint8Array[], count: number): Uint8Array {
  const last: Uint8Array[] = [];
  for (let at = pieces.length - 1, left = count; at >= 0 && left > 0; at--) {
    const piece = pieces[at]?.slice(-left) ?? new Uint8Array();
    last.unshift(piece);
    left -= piece.byteLength;
  }
  return Buffer.concat(last);
}

/** Fills in the frame header in front of a message. */
export function frameInPlace(framed: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = framed;
  framed[0] = PLAIN;
  new DataView(buffer, byteOffset, byteLength).setUint32(1, byteLength - FRAME_HEAD_BYTES);
}
