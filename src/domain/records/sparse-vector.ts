// Reads sparse vectors, from parsed JSON or as they came: checked, 32-bit, in ascending index order.

import { fault, invalid } from '../faults.ts';
import { SPARSE_ENTRIES_MAX, SPARSE_INDEX_MAX } from '../limits.ts';
import { copyFloats } from './dense-vector.ts';
import type { SparseVector } from './record.ts';

/**
 * Reads parallel lists of indices and values.
 * @throws empty-sparse-vector; invalid-argument for unequal lengths, repeated or bad indices, bad values
 */
export function readSparse(indices: unknown, values: unknown): SparseVector {
  const indexList = readList(indices, 'indices');
  const valueList = readList(values, 'values');
  if (indexList.length !== valueList.length) {
    throw invalid(
      `Sparse indices and values must have the same length, got ${indexList.length} and ${valueList.length}`,
    );
  }
  if (indexList.length === 0) throw fault('empty-sparse-vector');
  if (indexList.length > SPARSE_ENTRIES_MAX) {
    throw invalid(`Sparse vector has ${indexList.length} entries, the maximum is ${SPARSE_ENTRIES_MAX}`);
  }
  const floats = new Float32Array(valueList.length);
  copyFloats(valueList, floats);
  return sortByIndex(readIndices(indexList), floats);
}

function readList(json: unknown, name: string): readonly unknown[] {
  if (json === undefined || json === null) return [];
  if (json instanceof Uint32Array || json instanceof Float32Array) return Array.from(json);
  if (!Array.isArray(json)) throw invalid(`Sparse ${name} must be an array of numbers`);
  return json;
}

function readIndices(list: readonly unknown[]): Uint32Array {
  const indices = new Uint32Array(list.length);
  for (const [position, index] of list.entries()) {
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index > SPARSE_INDEX_MAX) {
      throw invalid(`Sparse indices must be integers from 0 to ${SPARSE_INDEX_MAX}`);
    }
    indices[position] = index;
  }
  return indices;
}

function sortByIndex(indices: Uint32Array, values: Float32Array): SparseVector {
  if (isStrictlyAscending(indices)) return { indices, values };
  const byIndex = new Map<number, number>();
  for (const [position, index] of indices.entries()) byIndex.set(index, values[position] ?? 0);
  if (byIndex.size < indices.length) throw invalid('Sparse indices must be unique');
  const sorted = indices.toSorted();
  return { indices: sorted, values: Float32Array.from(sorted, (index) => byIndex.get(index) ?? 0) };
}

function isStrictlyAscending(indices: Uint32Array): boolean {
  for (let i = 1; i < indices.length; i++) {
    if ((indices[i - 1] ?? 0) >= (indices[i] ?? 0)) return false;
  }
  return true;
}
