// Which index a store belongs to, written in the store itself, so that files of another index are told.
import { createHash } from 'node:crypto';
import { type RecordStore, SEQ } from '../record-store.ts';
import { FileDamage } from './damage.ts';

/** Names of numbers of the store. Stores of 0.1.0 have none; they get them when they are opened. */
const STAMP = 'index-stamp';
export const DIMENSION = 'dimension';
/** 1 once every record is known to have checksums. */
export const ALL_SUMMED = 'all-summed';
/** Records of 0.1.0 that got checksums so far. */
export const SUMS_ADDED = 'sums-added';
/** How many changes that were logged elsewhere have been carried out. */
export const REPLAYED = 'replayed-changes';
/** What a copy of the index must not take with it. */
export const IDENTITY_NUMBERS: readonly string[] = [STAMP, DIMENSION, ALL_SUMMED, SUMS_ADDED, REPLAYED];

/** Doubles hold whole numbers of so many bytes. */
const STAMP_BYTES = 6;

export interface StoreIdentity {
  readonly indexId: string;
  /** Null on sparse indexes. */
  readonly dimension: number | null;
}

/** A number made of the id of an index; never 0. */
export function stampOf(indexId: string): number {
  return createHash('sha256').update(indexId).digest().readUIntBE(0, STAMP_BYTES) || 1;
}

/** Says whose store this is, or compares it. @throws FileDamage when it belongs to another index */
export function identify(store: RecordStore, { indexId, dimension }: StoreIdentity): void {
  const expected = { [STAMP]: stampOf(indexId), [DIMENSION]: dimension ?? 0 };
  const known = Object.keys(expected).filter((name) => store.numbers.has(name));
  for (const name of known) {
    const problem = identityProblem(name, store.numbers.get(name), { indexId, dimension });
    if (problem !== null) throw new FileDamage(store.path, problem);
  }
  if (known.length === Object.keys(expected).length) return;
  store.env.transactionSync(() => {
    for (const [name, value] of Object.entries(expected)) store.numbers.put(name, value);
    // Nothing was ever written to it, and what this release writes has checksums.
    if (store.numbers.get(SEQ) === 0) store.numbers.put(ALL_SUMMED, 1);
  });
}

/** @returns why the number of a store is not one of this index; null when it is, or is another number */
export function identityProblem(
  name: string,
  value: number,
  { indexId, dimension }: StoreIdentity,
): string | null {
  if (name === STAMP && value !== stampOf(indexId)) return 'it belongs to another index';
  if (name === DIMENSION && value !== (dimension ?? 0))
    return `its vectors have ${value} dimensions, expected ${dimension ?? 0}`;
  return null;
}
