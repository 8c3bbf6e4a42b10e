// Opaque paging tokens that are valid only for the listing they came from.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { invalid } from '../../../domain/faults.ts';
import { RECORD_ID_CHARS_MAX } from '../../../domain/limits.ts';

const VERSION = 1;
const DIGEST_BYTES = 8;
/** Characters beside an id in a position: numbers, for example. */
const POSITION_CHARS_MAX = 48;
/** Base64url of version, digest and the longest position. */
const TOKEN_CHARS_MAX = Math.ceil(((1 + DIGEST_BYTES + RECORD_ID_CHARS_MAX + POSITION_CHARS_MAX) * 4) / 3);

/** What a token is bound to: the endpoint's id, the index's id and every parameter that shapes the listing. */
export type PagingScope = readonly string[];

/** Returns the token of the page that starts after `after` (exclusive, ASCII). */
export function writePagingToken(after: string, scope: PagingScope): string {
  const name = Buffer.from(after, 'latin1');
  return Buffer.concat([Buffer.of(VERSION), digest(name, scope), name]).toString('base64url');
}

/**
 * Returns the name that a token continues after; null when there is no token.
 * @param parameter that the caller gave the token in
 * @throws invalid-argument for an altered token or one of another listing
 */
export function readPagingToken(
  token: string | undefined,
  scope: PagingScope,
  parameter: 'paginationToken' | 'pagination_token' = 'paginationToken',
): string | null {
  if (token === undefined || token === '') return null;
  const bytes = Buffer.from(token.slice(0, TOKEN_CHARS_MAX), 'base64url');
  const name = bytes.subarray(1 + DIGEST_BYTES);
  const given = bytes.subarray(1, 1 + DIGEST_BYTES);
  // Comparing the text as well refuses characters that base64 decoding skips.
  const fits =
    bytes[0] === VERSION && given.equals(digest(name, scope)) && bytes.toString('base64url') === token;
  if (!fits) throw invalid(`${parameter} is not a token of this listing`);
  return name.toString('latin1');
}

/**
 * A plain hash without a key. It guards against mistakes, not forgery: a token gives access to nothing that the same
 * caller could not request with a prefix.
 */
function digest(after: Uint8Array, scope: PagingScope): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, ...scope]))
    .update(after)
    .digest()
    .subarray(0, DIGEST_BYTES);
}
