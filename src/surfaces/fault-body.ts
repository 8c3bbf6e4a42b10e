// Renders faults into the bodies the interface knows: standard, rpc-style and the identity check's.
import { isAtLeast, type RequestedVersion } from '../domain/api-version.ts';
import { type Fault, RPC_CODES } from '../domain/faults.ts';
import type { EndpointFacts, ErrorFamily } from './endpoint.ts';

/** JSON-ready body of a fault. */
export function faultBody(family: ErrorFamily | 'identity', fault: Fault): Readonly<Record<string, unknown>> {
  if (family === 'rpc') return { code: RPC_CODES[fault.code], message: fault.message, details: [] };
  if (family === 'identity') return { message: fault.message, code: identityCode(fault) };
  return { status: fault.status, error: { code: fault.code, message: fault.message } };
}

/** The family of an endpoint's errors: records operations left the rpc style with 2026-07. */
export function errorFamilyOf(
  endpoint: Pick<EndpointFacts, 'errors' | 'path'>,
  version: RequestedVersion,
): ErrorFamily {
  if (!endpoint.path.startsWith('/records/')) return endpoint.errors;
  return isAtLeast(version, '2026-07') ? 'standard' : 'rpc';
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
