// Reads vector records, vector changes and query vectors of one index from parsed JSON.

import { fault, invalid } from '../faults.ts';
import type { IndexProfile } from '../index-model.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { readDense } from './dense-vector.ts';
import { readMetadata, type Uncounted } from './metadata.ts';
import type { SparseVector, StorableRecord } from './record.ts';
import { checkRecordId } from './record-id.ts';
import { readSparse } from './sparse-vector.ts';

/** The properties that decide which vectors an index accepts. */
export type VectorShape = Pick<IndexProfile, 'vectorType' | 'metric' | 'dimension'>;

/** True when queries may have a sparse part. Other indexes keep the sparse values of records, but do not score them. */
export function scoresSparse({ dimension, metric }: Omit<VectorShape, 'vectorType'>): boolean {
  return dimension === null || metric === 'dotproduct';
}

/** The vectors of a record, of an update or of a query; null when the caller gave none. */
export interface VectorPair {
  readonly values: Float32Array | null;
  readonly sparse: SparseVector | null;
}

/** The three JSON parts a vector pair is read from. */
export interface VectorParts {
  readonly values: unknown;
  readonly sparseIndices: unknown;
  readonly sparseValues: unknown;
}

/** What records of an index have to fit. */
export type RecordRules = VectorShape & Pick<IndexProfile, 'timeToLive'>;

/** Reads one record, as of an upsert. @throws the record faults of the catalog */
export function readRecord(
  json: unknown,
  rules: RecordRules,
  uncounted: Uncounted = rules.timeToLive?.field,
): StorableRecord {
  if (!isJsonObject(json)) {
    throw invalid('Each vector must be an object with an id');
  }
  const id = checkRecordId(json.id);
  const { values, sparse } = readVectors(partsOf(json), rules);
  if (values === null && rules.dimension !== null) {
    throw fault('dimension-mismatch', { actual: 0, expected: rules.dimension });
  }
  if (values?.allZero) throw fault('zero-vector', { id });
  if (sparse === null && rules.dimension === null) throw fault('empty-sparse-vector');
  const metadataJson = readMetadata(json.metadata, uncounted);
  return { id, values: values?.values ?? null, sparse, metadataJson };
}

/** Reads the vectors of an update; either may be absent. @throws the record faults of the catalog */
export function readVectorChange(id: string, parts: VectorParts, shape: VectorShape): VectorPair {
  const { values, sparse } = readVectors(parts, shape);
  if (values?.allZero) throw fault('zero-vector', { id });
  return { values: values?.values ?? null, sparse };
}

/**
 * Reads the vectors of a query; null when there are none. Cosine has no answer for a zero vector.
 * @throws the record faults of the catalog
 */
export function readQueryVectors(parts: VectorParts, shape: VectorShape): VectorPair | null {
  const { values, sparse } = readVectors(parts, shape);
  if (values === null && sparse === null) return null;
  if (sparse !== null && !scoresSparse(shape)) throw fault('sparse-unsupported');
  if (values === null && shape.dimension !== null) {
    throw invalid('A sparse query vector on a dense index needs a dense query vector beside it');
  }
  if (values?.allZero && shape.metric === 'cosine') {
    throw invalid(
      'Dense vectors must contain at least one non-zero value. The query vector contains only zeros',
    );
  }
  return { values: values?.values ?? null, sparse };
}

/** Finds the vector parts of an object with `values` and `sparseValues`. @throws invalid-argument */
export function partsOf(item: JsonObject): VectorParts {
  return vectorParts(item.values, item.sparseValues ?? item.sparse_values);
}

/** Splits a sparse object into its lists. @throws invalid-argument */
export function vectorParts(values: unknown, sparse: unknown): VectorParts {
  if (sparse === undefined || sparse === null) return { values, sparseIndices: null, sparseValues: null };
  if (!isJsonObject(sparse)) {
    throw invalid('Sparse values must be an object with indices and values');
  }
  // An object without lists is an empty sparse vector, not an absent one.
  return { values, sparseIndices: sparse.indices ?? [], sparseValues: sparse.values ?? [] };
}

function readVectors(parts: VectorParts, shape: VectorShape) {
  const hasValues = !isAbsent(parts.values) && !isEmptyList(parts.values);
  if (hasValues && shape.dimension === null) {
    throw invalid('Sparse indexes take sparse values only; leave out the dense values');
  }
  const hasSparse = !isAbsent(parts.sparseIndices) || !isAbsent(parts.sparseValues);
  return {
    values: hasValues && shape.dimension !== null ? readDense(parts.values, shape.dimension) : null,
    sparse: hasSparse ? readSparse(parts.sparseIndices, parts.sparseValues) : null,
  };
}

function isEmptyList(json: unknown): boolean {
  return (Array.isArray(json) || json instanceof Float32Array) && json.length === 0;
}

function isAbsent(json: unknown): boolean {
  return json === undefined || json === null;
}
