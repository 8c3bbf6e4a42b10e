// Hash tables of terms: append-only, with linear probing, one after the other as they fill. Nothing ever moves.
import {
  addressAt,
  KEY_BYTES_MAX,
  type SharedBytes,
  TERM_WORDS,
  TERMS_PER_BLOCK,
  TermWord,
} from './layout.ts';
import type { TermTable } from './structure.ts';

/** A key in UTF-8, with its hash. */
export interface EncodedKey {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly hash: number;
}

/** The terms of a segment by number, and where their keys lie. */
export interface TermList {
  readonly memory: SharedBytes;
  /** Frames of keys. */
  readonly keys: readonly number[];
  /** Blocks of terms. */
  readonly terms: readonly number[];
}

const keyBytes = Buffer.allocUnsafeSlow(KEY_BYTES_MAX);

/** Encodes a key; valid until the next call. The seed keeps callers from choosing terms that collide. */
export function encodeKey(field: number, term: string, seed: number): EncodedKey {
  keyBytes[0] = field;
  const length = 1 + writeTerm(term);
  let hash = seed | 0;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (keyBytes[i] ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return { bytes: keyBytes, length, hash: (hash ^ (hash >>> 13)) >>> 0 };
}

/** Writes a term behind the number of the field. @returns its bytes */
function writeTerm(term: string): number {
  for (let i = 0; i < term.length; i++) {
    const unit = term.charCodeAt(i);
    if (unit >= 0x80) return keyBytes.write(term, 1, 'utf8');
    keyBytes[1 + i] = unit;
  }
  return term.length;
}

/** Address of the words of a term. */
export function termAddress(terms: readonly number[], term: number): number {
  return (terms[Math.floor(term / TERMS_PER_BLOCK)] ?? 0) + (term % TERMS_PER_BLOCK) * TERM_WORDS * 4;
}

/** Address of the key of a term. */
export function keyAddress({ memory, keys, terms }: TermList, term: number): number {
  const address = termAddress(terms, term);
  return addressAt(keys, memory.words(address + TERM_WORDS * 4)[address / 4 + TermWord.Key] ?? 0);
}

/** Address of the entry at which a key is in the table, or at which it is to be added: then the entry is 0. */
export function findEntry(
  { addresses, entriesEach }: TermTable,
  key: EncodedKey,
  list: TermList,
): { readonly address: number; readonly term: number | null } {
  const mask = addresses.length * entriesEach - 1;
  for (let at = key.hash & mask; ; at = (at + 1) & mask) {
    const address = (addresses[Math.floor(at / entriesEach)] ?? 0) + (at % entriesEach) * 4;
    const entry = Atomics.load(list.memory.words(address + 4), address / 4);
    if (entry === 0) return { address, term: null };
    if (isKeyOf(list, entry - 1, key)) return { address, term: entry - 1 };
  }
}

function isKeyOf(list: TermList, term: number, { bytes, length }: EncodedKey): boolean {
  const address = keyAddress(list, term);
  const memory = list.memory.bytes(address + 1 + KEY_BYTES_MAX);
  if (memory[address] !== length) return false;
  for (let i = 0; i < length; i++) if (memory[address + 1 + i] !== bytes[i]) return false;
  return true;
}
