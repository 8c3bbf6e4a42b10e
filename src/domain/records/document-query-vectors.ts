// Reads the vectors by which documents are searched.
import { invalid } from '../faults.ts';
import type { IndexProfile } from '../index-model.ts';
import { isJsonObject } from '../json.ts';
import { readDense } from './dense-vector.ts';
import type { SparseVector } from './record.ts';
import { readSparse } from './sparse-vector.ts';

/**
 * @param what the values, for messages
 * @throws invalid-argument, dimension-mismatch
 */
export function readQueryValues(
  json: unknown,
  { dimension, metric }: Pick<IndexProfile, 'dimension' | 'metric'>,
  what: string,
): Float32Array {
  const { values, allZero } = readDense(json, dimension ?? 0);
  // Cosine has no answer for a zero vector.
  if (allZero && metric === 'cosine') throw invalid(`${what} must contain at least one non-zero value`);
  return values;
}

/**
 * @param what the requirement that a missing vector violates, for messages
 * @throws invalid-argument, empty-sparse-vector
 */
export function readQuerySparse(json: unknown, what: string): SparseVector {
  if (!isJsonObject(json)) throw invalid(`${what} with indices and values`);
  const { indices, values, ...others } = json;
  if (Object.keys(others).length > 0) throw invalid(`${what} with indices and values, and nothing else`);
  return readSparse(indices, values);
}
