// Records as rows: written in batches of arrays, read as text.
import { Buffer } from 'node:buffer';
import type { SparseVector, StorableRecord, StoredRecord } from '../port/reader-and-writer.ts';
import { storedFields } from './stored-fields.ts';

const BYTES_PER_FLOAT = 4;
const BYTES_PER_SPARSE_ENTRY = 8;

/** The columns of a record, as `RecordRow` has them. */
export const RECORD_COLUMNS =
  'id, dense::text as dense, sparse_indices::text as indices, sparse_values::text as weights, metadata';

export interface RecordRow {
  readonly id: string;
  readonly dense: string | null;
  readonly indices: string | null;
  readonly weights: string | null;
  readonly metadata: string | null;
}

export function recordOf({ id, dense, indices, weights, metadata }: RecordRow): StoredRecord {
  return { id, values: valuesOf(dense), sparse: sparseOf(indices, weights), metadataJson: metadata };
}

/** The parameters of `insertRecords`, column by column. */
export function columnsOf(records: readonly StorableRecord[]): readonly unknown[] {
  return [
    records.map(({ id }) => id),
    records.map(({ values }) => (values === null ? null : vectorText(values))),
    records.map(({ sparse }) => (sparse === null ? null : `{${sparse.indices.join(',')}}`)),
    records.map(({ sparse }) => (sparse === null ? null : `{${sparse.values.join(',')}}`)),
    records.map(({ metadataJson }) => metadataJson),
    records.map(({ metadataJson }) => storedFields(metadataJson)),
    records.map(recordBytes),
  ];
}

/** As pgvector reads it. */
export function vectorText(values: Float32Array): string {
  return `[${values.join(',')}]`;
}

/** Bytes of a record's vectors and metadata. */
export function recordBytes({ values, sparse, metadataJson }: StorableRecord): number {
  return (
    (values?.length ?? 0) * BYTES_PER_FLOAT +
    (sparse?.indices.length ?? 0) * BYTES_PER_SPARSE_ENTRY +
    Buffer.byteLength(metadataJson ?? '')
  );
}

function valuesOf(dense: string | null): Float32Array | null {
  return dense === null ? null : Float32Array.from(numbersOf(dense));
}

function sparseOf(indices: string | null, weights: string | null): SparseVector | null {
  if (indices === null || weights === null) return null;
  return { indices: Uint32Array.from(numbersOf(indices)), values: Float32Array.from(numbersOf(weights)) };
}

/** Of `[1,2]` or `{1,2}`. */
function numbersOf(list: string): readonly number[] {
  return list.length === 2 ? [] : list.slice(1, -1).split(',').map(Number);
}
