// Renders faults for gRPC: a code, a percent-encoded message, the reason, and the time to retry.
import { Buffer } from 'node:buffer';
import { type Fault, RPC_CODES } from '../../domain/faults.ts';
import { ERROR_INFO_URL, errorInfo } from '../error-info.ts';
import { MessageWriter } from './message-writer.ts';

export const GRPC_STATUS = 'grpc-status';
export const OK = '0';
const GRPC_MESSAGE = 'grpc-message';

/** Clients bound the size of all headers together, some to 8 KiB. */
const MESSAGE_BYTES_MAX = 2_048;
const MILLISECONDS_PER_SECOND = 1_000;

/** Field numbers of google.rpc.Status and google.protobuf.Any. */
const STATUS = { code: 1, message: 2, details: 3 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;

/** The status headers of a refusal. */
export function statusHeaders(fault: Fault): Readonly<Record<string, string>> {
  const { code, message, retryAfterSeconds } = fault;
  const details = statusDetails(fault);
  return {
    [GRPC_STATUS]: String(RPC_CODES[code]),
    [GRPC_MESSAGE]: percentEncoded(message),
    ...(details !== null && { 'grpc-status-details-bin': details }),
    ...(retryAfterSeconds !== undefined && {
      'grpc-retry-pushback-ms': String(retryAfterSeconds * MILLISECONDS_PER_SECOND),
    }),
  };
}

/** The message that status headers tell; null where there is none. */
export function messageIn(headers: Readonly<Record<string, string>>): string | null {
  const { [GRPC_MESSAGE]: encoded } = headers;
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Cut off in the middle of a character.
    return encoded;
  }
}

/** A google.rpc.Status with the reason of the fault, as clients expect it beside the code; null without a reason. */
function statusDetails(fault: Fault): string | null {
  const value = errorInfo(fault);
  if (value === null) return null;
  const writer = new MessageWriter();
  writer.varint(STATUS.code, RPC_CODES[fault.code]);
  writer.text(STATUS.message, fault.message.slice(0, MESSAGE_BYTES_MAX));
  writer.part(STATUS.details, () => {
    writer.text(ANY.typeUrl, ERROR_INFO_URL);
    writer.bytes(ANY.value, value);
  });
  return Buffer.from(writer.finish()).toString('base64');
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
