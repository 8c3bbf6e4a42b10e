// google.rpc.ErrorInfo, the reason of an error that clients distinguish: as JSON, and as a protobuf message.
import { Buffer } from 'node:buffer';
import type { Fault } from '../domain/faults.ts';
import { MessageWriter } from './grpc/message-writer.ts';

export const ERROR_INFO_URL = 'type.googleapis.com/google.rpc.ErrorInfo';

/** Fields of ErrorInfo; its `domain`, 2, is left out. */
const REASON = 1;
const METADATA = 3;

const KEY = 1;
const VALUE = 2;

/**
 * The details of an rpc-style error body: at most one, for most faults none. An entry has the form of the specification,
 * the type's URL beside the message in base64, and its fields in JSON, which clients read.
 */
export function errorDetails(fault: Fault): readonly object[] {
  const { reason, metadata } = fault;
  const message = errorInfo(fault);
  if (message === null) return [];
  const value = Buffer.from(message).toString('base64');
  return [{ '@type': ERROR_INFO_URL, reason, metadata, typeUrl: ERROR_INFO_URL, value }];
}

/** The bytes of the message; null for a fault without a reason. */
export function errorInfo({ reason, metadata }: Fault): Uint8Array | null {
  if (reason === undefined) return null;
  const writer = new MessageWriter();
  writer.text(REASON, reason);
  for (const [key, value] of Object.entries(metadata)) {
    writer.part(METADATA, () => {
      writer.text(KEY, key);
      writer.text(VALUE, value);
    });
  }
  return writer.finish();
}
