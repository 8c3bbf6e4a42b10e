// JSON Web Tokens: always signed with HMAC-SHA256, each with one type and an expiry.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import type { SigningSecret } from './signing-secrets.ts';

const ALGORITHM = 'HS256';
const ISSUER = 'pinyon';
/** This server issues none longer than this. */
const TOKEN_CHARS_MAX = 4_096;
const SECOND_MS = 1_000;

/** The `typ` of the header; a token of one type is never accepted as another. */
export type TokenKind = 'at+jwt' | 'session+jwt';

export type Claims = Readonly<Record<string, unknown>>;

export interface TokenSigner {
  /** `claims` gain `iss`, `iat` and `exp`. */
  sign(kind: TokenKind, claims: Claims, seconds: number): Promise<string>;
  /** Returns the claims; undefined when anything is wrong. */
  verify(kind: TokenKind, token: string): Promise<Claims | undefined>;
}

/** The first secret signs; all of them verify. `now` is in milliseconds. */
export function createTokenSigner(
  secrets: readonly SigningSecret[],
  now: () => number = Date.now,
): TokenSigner {
  const [newest] = secrets.map(({ id, bytes }) => ({ id, key: createSecretKey(bytes) }));
  if (newest === undefined) throw new Error('There is no signing key.');
  const keys = new Map(secrets.map(({ id, bytes }) => [id, createSecretKey(bytes)]));
  const keyOf = ({ kid }: JWTHeaderParameters): KeyObject => {
    const key = keys.get(kid ?? '');
    if (key === undefined) throw new errors.JOSEError('signed with another key');
    return key;
  };
  return {
    sign: (kind, claims, seconds) => {
      const issuedAt = Math.floor(now() / SECOND_MS);
      return new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM, typ: kind, kid: newest.id })
        .setIssuer(ISSUER)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + seconds)
        .sign(newest.key);
    },

    verify: async (kind, token) => {
      if (token.length > TOKEN_CHARS_MAX || !isCanonical(token)) return undefined;
      const rules = {
        algorithms: [ALGORITHM],
        typ: kind,
        issuer: ISSUER,
        requiredClaims: ['exp'],
        currentDate: new Date(now()),
      };
      try {
        return (await jwtVerify(token, keyOf, rules)).payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

/** Decoding ignores spare bits of the last character: several texts would decode to the same signature. */
function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}
