// Requests to the OpenID provider: encrypted beyond this machine, to where its metadata say, and of bounded answers.
import { membersOf } from '../../../domain/json.ts';

const ANSWER_BYTES_MAX = 2 ** 20;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** An address that neither the settings nor TLS vouch for, or an answer that is too long. */
export class ProviderRequestError extends Error {}

/** True for addresses that no third party can read or alter on their way. */
export function isProtected(address: URL): boolean {
  return address.protocol === 'https:' || (address.protocol === 'http:' && LOOPBACK.test(address.hostname));
}

/** As fetch, for the provider alone. Follows no redirects. @throws ProviderRequestError, and as fetch */
export async function providerFetch(url: string, options: RequestInit): Promise<Response> {
  if (!isProtected(new URL(url))) {
    throw new ProviderRequestError('it names an address without TLS');
  }
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) {
      throw new ProviderRequestError(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    }
    pieces.push(piece);
  }
  const { status, headers } = response;
  const hasBody = status !== 204 && status !== 304 && status !== 205;
  return new Response(hasBody ? Buffer.concat(pieces) : null, { status, headers });
}

/** Why a request failed, in words; without what the provider sent. */
export function requestProblem(error: unknown): string {
  if (error instanceof ProviderRequestError) return error.message;
  const { code, cause, name } = membersOf(error);
  if (cause instanceof ProviderRequestError) return cause.message;
  if (name === 'TimeoutError' || code === 'OAUTH_TIMEOUT') return 'it did not answer in time';
  const { code: reason } = membersOf(cause);
  if (typeof reason === 'string') return `it cannot be reached (${reason})`;
  return typeof code === 'string' ? `its answer is not as it should be (${code})` : 'it does not answer';
}
