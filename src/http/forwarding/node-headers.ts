// The headers with which a node forwards a request. The caller's credential goes with it and is checked again, so that
// they vouch for nothing but this: it has been forwarded already, and has an id.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export const NODE_SECRET_HEADER = 'x-pinyon-node-secret';
export const FORWARDED_ID_HEADER = 'x-pinyon-forwarded-id';

const REQUEST_ID = /^[0-9a-f-]{36}$/;

export type Origin =
  | { readonly kind: 'client' }
  | { readonly kind: 'node'; readonly requestId: string | null }
  /** Somebody who does not know the secret claims to be a node. */
  | { readonly kind: 'forger' };

/** Reads the headers, and takes them off: nothing behind sees the secret. */
export function takeOrigin(headers: IncomingHttpHeaders, secretDigest: Uint8Array): Origin {
  const { [NODE_SECRET_HEADER]: secret, [FORWARDED_ID_HEADER]: id } = headers;
  if (secret === undefined && id === undefined) return { kind: 'client' };
  delete headers[NODE_SECRET_HEADER];
  delete headers[FORWARDED_ID_HEADER];
  if (typeof secret !== 'string' || !timingSafeEqual(digestOf(secret), secretDigest))
    return { kind: 'forger' };
  return { kind: 'node', requestId: typeof id === 'string' && REQUEST_ID.test(id) ? id : null };
}

export function digestOf(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
