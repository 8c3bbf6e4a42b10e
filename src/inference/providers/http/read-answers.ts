// Validates responses of providers: counts, order, dimensions, finite numbers.
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { SPARSE_ENTRIES_MAX, SPARSE_INDEX_MAX } from '../../../domain/limits.ts';
import type { SparseVector } from '../../../domain/records/record.ts';
import { ProviderError } from '../../provider-errors.ts';

const FLOAT_BYTES = 4;

export function invalidResponse(reason: string): ProviderError {
  return new ProviderError('broken', `its provider sent an invalid response: ${reason}`);
}

export function objectIn(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw invalidResponse(`${what} is not an object`);
  return value;
}

export function listIn(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidResponse(`${what} is not a list`);
  return value;
}

/**
 * Sorts entries by the position that each names.
 * @throws ProviderError unless each position from 0 to count - 1 occurs once
 */
export function byIndex(entries: readonly unknown[], count: number): readonly JsonObject[] {
  if (entries.length !== count) throw invalidResponse(`${entries.length} results for ${count} texts`);
  const ordered: (JsonObject | undefined)[] = Array.from({ length: count });
  for (const each of entries) {
    const entry = objectIn(each, 'a result');
    const { index } = entry;
    if (
      typeof index !== 'number' ||
      !(Number.isInteger(index) && index >= 0 && index < count) ||
      ordered[index] !== undefined
    ) {
      throw invalidResponse('the positions of the results are wrong');
    }
    ordered[index] = entry;
  }
  return ordered.map((entry) => objectIn(entry, 'a result'));
}

/** Reads a vector from a list of numbers, or from base64 of little-endian 32-bit floats. */
export function readVector(value: unknown): Float32Array {
  return typeof value === 'string' ? decoded(value) : Float32Array.from(listIn(value, 'a vector'), finite);
}

function decoded(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0) throw invalidResponse('a vector is truncated');
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_, position) =>
    bytes.readFloatLE(position * FLOAT_BYTES),
  );
}

/**
 * Reads a sparse vector from a list of indices with weights, in 32 bits. Keeps the positive weights; the largest, as many
 * as a record may have.
 */
export function readSparseVector(value: unknown): SparseVector {
  const weights = new Map<number, number>();
  for (const each of listIn(value, 'a sparse vector')) {
    const { index, value: weight } = objectIn(each, 'an entry');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > SPARSE_INDEX_MAX)
      throw invalidResponse('an index is not a whole number of 32 bits');
    if (weights.has(index)) throw invalidResponse('an index of a sparse vector occurs twice');
    weights.set(index, finite(Math.fround(finite(weight))));
  }
  const kept = [...weights]
    .filter(([, weight]) => weight > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, SPARSE_ENTRIES_MAX)
    .sort(([one], [other]) => one - other);
  return {
    indices: Uint32Array.from(kept, ([index]) => index),
    values: Float32Array.from(kept, ([, weight]) => weight),
  };
}

export function finite(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw invalidResponse('a value is not a finite number');
  return value;
}
