// Identifiers: opaque ids, the short form of a project's id in host names, and generated index names.
import { createHash, randomInt, randomUUID } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SHORT_ID_CHARS = 7;
const GENERATED_NAME_CHARS = 8;

/** A fresh UUID. */
export function newId(): string {
  return randomUUID();
}

/** Seven lower-case letters and digits that stand for a project in host names; always the same for one id. */
export function projectShortId(projectId: string): string {
  const digest = createHash('sha256').update(projectId).digest();
  const number = digest.readBigUInt64BE(0) % BigInt(ALPHABET.length) ** BigInt(SHORT_ID_CHARS);
  return number.toString(ALPHABET.length).padStart(SHORT_ID_CHARS, '0');
}

/** A name for an index whose creator gave none. */
export function generateIndexName(): string {
  const letters = Array.from({ length: GENERATED_NAME_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `index-${letters.join('')}`;
}
