// Secrets of keys and service accounts: how they are generated, and the digest that is stored instead of them.
import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const CLIENT_ID_CHARS = 32;
const CLIENT_SECRET_BYTES = 48;
const LABEL_CHARS = 6;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export interface NewApiKey {
  /** The whole key; shown once. */
  readonly value: string;
  /** The public part, which identifies a key without its secret. */
  readonly label: string;
  readonly sha256: string;
}

/** `pcsk_<label>_<256 random bits>` */
export function newApiKey(): NewApiKey {
  const label = randomText(LABEL_CHARS);
  const value = `pcsk_${label}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { value, label, sha256: digestOf(value) };
}

/** The public part of a key; empty for keys made elsewhere, which have none. */
export function labelOf(key: string): string {
  const [, label = ''] = /^pcsk_([A-Za-z0-9]{6})_.{32,}$/.exec(key) ?? [];
  return label;
}

export function newClientId(): string {
  return randomText(CLIENT_ID_CHARS);
}

/** 64 characters, 384 random bits. */
export function newClientSecret(): string {
  return randomBytes(CLIENT_SECRET_BYTES).toString('base64url');
}

/**
 * SHA-256 as hex: the only form in which secrets are stored. They are random, so a slower hash would not make
 * them harder to guess.
 */
export function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares a presented secret with a digest in constant time. */
export function matchesDigest(presented: string, sha256: string): boolean {
  const expected = Buffer.from(sha256, 'hex');
  const actual = createHash('sha256').update(presented).digest();
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function randomText(chars: number): string {
  return Array.from({ length: chars }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
