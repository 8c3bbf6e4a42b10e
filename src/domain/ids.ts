// Identifiers: opaque ids, ordered ids, short project ids for host names, and generated index names.
import { createHash, randomInt, randomUUID } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SHORT_ID_CHARS = 7;
const GENERATED_NAME_CHARS = 8;
const COUNT_IN_MS_MAX = 0xfff;

/** Returns a new UUID. */
export function newId(): string {
  return randomUUID();
}

let lastMs = 0;
let countInMs = 0;

/**
 * Returns a new UUID of version 7 that sorts, as text, after every earlier one of this process: its milliseconds never
 * go back, and twelve bits count the ids of one millisecond (RFC 9562, section 6.2, method 1).
 */
export function newOrderedId(nowMs = Date.now()): string {
  countInMs = nowMs > lastMs ? 0 : countInMs + 1;
  lastMs = Math.max(lastMs, nowMs);
  if (countInMs > COUNT_IN_MS_MAX) {
    lastMs += 1;
    countInMs = 0;
  }
  return orderedId(lastMs, countInMs);
}

/** Returns a new UUID of version 7 of a moment, in milliseconds since 1970, whatever the clock of this process says. */
export function orderedIdAt(ms: number): string {
  return orderedId(ms, 0);
}

function orderedId(ms: number, number: number): string {
  const time = ms.toString(16).padStart(12, '0');
  const count = number.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${randomUUID().slice(19)}`;
}

/** When an ordered id was made, in milliseconds since 1970: its first 48 bits. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.replace('-', '').slice(0, 12), 16);
}

/** Returns seven lower-case letters and digits that identify a project in host names; the same for the same id. */
export function projectShortId(projectId: string): string {
  const digest = createHash('sha256').update(projectId).digest();
  const number = digest.readBigUInt64BE(0) % BigInt(ALPHABET.length) ** BigInt(SHORT_ID_CHARS);
  return number.toString(ALPHABET.length).padStart(SHORT_ID_CHARS, '0');
}

/** Generates a name for an index whose creator gave none. */
export function generateIndexName(): string {
  const letters = Array.from({ length: GENERATED_NAME_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `index-${letters.join('')}`;
}
