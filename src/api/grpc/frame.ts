// The frame of a gRPC message: a compression flag, four bytes of length, the message.
import { gunzipSync } from 'node:zlib';
import { fault, invalid } from '../../domain/faults.ts';
import { DATA_REQUEST_BYTES_MAX } from '../../domain/limits.ts';

export const FRAME_HEAD_BYTES = 5;
/** Bound on a decompressed message: twice the documented limit, so that one slightly too large gets the endpoint's message. */
const UNPACKED_BYTES_MAX = 2 * DATA_REQUEST_BYTES_MAX;
const PLAIN = 0;
const COMPRESSED = 1;

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

function unpack(message: Uint8Array, bytesMax: number): Uint8Array {
  try {
    return gunzipSync(message, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw fault('payload-too-large', { bytes: bytesMax });
    throw invalid('The message of the request is not valid gzip');
  }
}

/** Fills in the frame header in front of a message. */
export function frameInPlace(framed: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = framed;
  framed[0] = PLAIN;
  new DataView(buffer, byteOffset, byteLength).setUint32(1, byteLength - FRAME_HEAD_BYTES);
}
