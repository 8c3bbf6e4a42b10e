// Renders faults for gRPC: a code, a percent-encoded message, and the time to retry.
import { Buffer } from 'node:buffer';
import { type Fault, RPC_CODES } from '../../domain/faults.ts';

export const GRPC_STATUS = 'grpc-status';
export const OK = '0';

/** Clients bound the size of all headers together, some to 8 KiB. */
const MESSAGE_BYTES_MAX = 2_048;
const MILLISECONDS_PER_SECOND = 1_000;

/** The status headers of a refusal. */
export function statusHeaders({ code, message, retryAfterSeconds }: Fault): Readonly<Record<string, string>> {
  const status = { [GRPC_STATUS]: String(RPC_CODES[code]), 'grpc-message': percentEncoded(message) };
  if (retryAfterSeconds === undefined) return status;
  return { ...status, 'grpc-retry-pushback-ms': String(retryAfterSeconds * MILLISECONDS_PER_SECOND) };
}

/** Encodes everything but printable ASCII, and the percent sign, as the gRPC protocol requires. */
function percentEncoded(text: string): string {
  let encoded = '';
  for (const byte of Buffer.from(text)) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    if (encoded.length > MESSAGE_BYTES_MAX) return encoded;
  }
  return encoded;
}
