// Renders faults as error bodies: standard, rpc-style, those of the identity check and those of OAuth.
import { type Fault, type FaultName, RPC_CODES } from '../domain/faults.ts';
import type { ErrorFamily } from './endpoint.ts';
import { errorDetails } from './error-info.ts';

/** Families of endpoints with a body of their own for callers without a credential. */
export const OWN_BODY_ALWAYS: ReadonlySet<ErrorFamily> = new Set(['identity', 'oauth', 'openai', 'mcp']);

const OPENAI_UNKNOWN_MODELS: ReadonlySet<FaultName> = new Set([
  'openai-model-not-found',
  'unknown-model',
  'invalid-chat-model',
  'assistant-not-found',
]);

/** Refusals that come before an endpoint does: clients read them alike for all endpoints. */
const REFUSED_BEFORE: ReadonlySet<FaultName> = new Set([
  'permission-denied',
  'access-forbidden',
  'rate-exceeded',
]);

/** The family of an error's body: the refusal of a caller without a valid credential has the same almost everywhere. */
export function familyOf(condition: FaultName, errors: ErrorFamily): ErrorFamily {
  if (condition === 'unauthenticated' && !OWN_BODY_ALWAYS.has(errors)) return 'standard';
  return errors === 'rpc' && REFUSED_BEFORE.has(condition) ? 'both' : errors;
}

/** The body of a fault, ready for JSON. */
export function faultBody(family: ErrorFamily, fault: Fault): Readonly<Record<string, unknown>> {
  if (family === 'identity') return { message: fault.message, code: identityCode(fault) };
  if (family === 'oauth') return { error: oauthError(fault), error_description: oauthText(fault) };
  if (family === 'openai') return { error: openAiError(fault) };
  if (family === 'mcp')
    return { jsonrpc: '2.0', error: { code: mcpCode(fault), message: fault.message }, id: null };
  if (family === 'message') return { message: fault.message };
  const { status, code, message } = fault;
  const details = errorDetails(fault);
  const standard = { status, error: { code, message, ...(details[0] && { details: details[0] }) } };
  const rpc = { code: RPC_CODES[code], message, details };
  // The specification gives data plane errors the standard body, the public API the rpc one; this body has the fields of both.
  if (family === 'both') return { ...standard, ...rpc };
  return family === 'rpc' ? rpc : standard;
}

/** The headers of every error response. */
export function faultHeaders(fault: Fault): Readonly<Record<string, string>> {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  if (fault.retryAfterSeconds === undefined) return type;
  return { ...type, 'retry-after': String(fault.retryAfterSeconds) };
}

function identityCode(fault: Fault): string {
  return fault.condition === 'unsupported-version' ? 'unsupported_api_version' : fault.code;
}

/** The error codes of OAuth for the token exchange. */
function oauthError({ condition, status }: Fault): string {
  if (condition === 'unauthenticated') return 'access_denied';
  if (condition === 'unsupported-grant') return 'unsupported_grant_type';
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

function oauthText({ condition, message }: Fault): string {
  return condition === 'unauthenticated' ? 'Unauthorized' : message;
}

/** The error codes of JSON-RPC: an invalid request, an internal error, or one of the server's own. */
function mcpCode({ condition, status }: Fault): number {
  if (condition === 'body-not-json') return -32_700;
  if (status === 400) return -32_600;
  return status >= 500 ? -32_603 : -32_000;
}

/** The error object of OpenAI, by whose type and code its clients choose their exceptions. */
function openAiError({ condition, status, message }: Fault): object {
  return { message, type: openAiType(status), param: null, code: openAiCode(condition, status) };
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function openAiCode(condition: FaultName, status: number): string | null {
  if (status === 401) return 'invalid_api_key';
  if (OPENAI_UNKNOWN_MODELS.has(condition)) return 'model_not_found';
  return status === 429 ? 'rate_limit_exceeded' : null;
}
