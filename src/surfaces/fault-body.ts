// Renders faults into the bodies the interface knows: standard, rpc-style and the identity check's.
import { type Fault, RPC_CODES } from '../domain/faults.ts';
import type { ErrorFamily } from './endpoint.ts';

/** JSON-ready body of a fault. */
export function faultBody(family: ErrorFamily | 'identity', fault: Fault): Readonly<Record<string, unknown>> {
  if (family === 'identity') return { message: fault.message, code: identityCode(fault) };
  const standard = { status: fault.status, error: { code: fault.code, message: fault.message } };
  const rpc = { code: RPC_CODES[fault.code], message: fault.message, details: [] };
  // The specification gives data plane errors the standard body, the public API the rpc one: readers of either find theirs.
  if (family === 'both') return { ...standard, ...rpc };
  return family === 'rpc' ? rpc : standard;
}

/** Headers of every error answer. */
export function faultHeaders(fault: Fault): Readonly<Record<string, string>> {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  if (fault.retryAfterSeconds === undefined) return type;
  return { ...type, 'retry-after': String(fault.retryAfterSeconds) };
}

function identityCode(fault: Fault): string {
  return fault.condition === 'unsupported-version' ? 'unsupported_api_version' : fault.code;
}
