// Records as rows: written in batches of arrays, read as text.
import { Buffer } from 'node:buffer';
import type { IndexProfile } from '../../domain/index-model.ts';
import { float32ArrayText } from '../../domain/records/float32-text.ts';
import type { SparseVector, StorableRecord, StoredRecord } from '../port/reader-and-writer.ts';
import { storedFields } from './stored-fields.ts';

const BYTES_PER_FLOAT = 4;
const BYTES_PER_SPARSE_ENTRY = 8;
const VECTOR_HEADER_BYTES = 4;

/** What of a record to read besides its id. */
export interface RecordParts {
  readonly values: boolean;
  readonly metadata: boolean;
}

export const ALL_PARTS: RecordParts = { values: true, metadata: true };

/** The columns of a record, as `RecordRow` has them; those of other parts are null. */
export function recordColumns(
  { dimension }: Pick<IndexProfile, 'dimension'>,
  { values, metadata }: RecordParts = ALL_PARTS,
): string {
  // pgvector's own form, which is shorter and quicker to read than decimals.
  const dense = values && dimension !== null ? 'vector_send(dense)' : 'null::bytea';
  const sparse = (column: string) => (values ? `${column}::text` : 'null::text');
  return `id, ${dense} as dense, ${sparse('sparse_indices')} as indices, ${sparse('sparse_values')} as weights,
    ${metadata ? 'metadata' : 'null::text as metadata'}`;
}

export interface RecordRow {
  readonly id: string;
  readonly dense: Buffer | null;
  readonly indices: string | null;
  readonly weights: string | null;
  readonly metadata: string | null;
}

export function recordOf({ id, dense, indices, weights, metadata }: RecordRow): StoredRecord {
  return { id, values: valuesOf(dense), sparse: sparseOf(indices, weights), metadataJson: metadata };
}

/** The parameters of an insertion, column by column. @param texts the full-text fields */
export function columnsOf(
  records: readonly StorableRecord[],
  texts: ReadonlySet<string>,
): readonly unknown[] {
  return [
    records.map(({ id }) => id),
    records.map(({ values }) => (values === null ? null : vectorText(values))),
    records.map(({ sparse }) => (sparse === null ? null : `{${sparse.indices.join(',')}}`)),
    records.map(({ sparse }) => (sparse === null ? null : `{${sparse.values.join(',')}}`)),
    records.map(({ metadataJson }) => metadataJson),
    records.map(({ metadataJson }) => storedFields(metadataJson, texts)),
    records.map(recordBytes),
  ];
}

/** Of a record whose metadata change, and nothing else. */
export interface ChangedMetadata {
  readonly id: string;
  readonly metadataJson: string | null;
  /** By which the record grows. */
  readonly bytesAdded: number;
}

/** The parameters of a change of metadata, column by column. @param texts the full-text fields */
export function metadataColumnsOf(
  records: readonly ChangedMetadata[],
  texts: ReadonlySet<string>,
): readonly unknown[] {
  return [
    records.map(({ id }) => id),
    records.map(({ metadataJson }) => metadataJson),
    records.map(({ metadataJson }) => storedFields(metadataJson, texts)),
    records.map(({ bytesAdded }) => bytesAdded),
  ];
}

/** As pgvector reads it. */
export function vectorText(values: Float32Array): string {
  return float32ArrayText(values);
}

/** In pgvector's binary form, for a parameter that is cast to its type: nobody prints and parses the numbers. */
export function vectorBytes(values: Float32Array): Buffer {
  const bytes = Buffer.alloc(VECTOR_HEADER_BYTES + values.byteLength);
  bytes.writeUInt16BE(values.length, 0);
  const floats = bytes.subarray(VECTOR_HEADER_BYTES);
  floats.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  floats.swap32();
  return bytes;
}

/** Bytes of a record's vectors and metadata. */
export function recordBytes({ values, sparse, metadataJson }: StorableRecord): number {
  return (
    (values?.length ?? 0) * BYTES_PER_FLOAT +
    (sparse?.indices.length ?? 0) * BYTES_PER_SPARSE_ENTRY +
    Buffer.byteLength(metadataJson ?? '')
  );
}

/** Of pgvector's form: the dimension and an unused number, 16 bits each, then floats, most significant byte first. */
function valuesOf(dense: Buffer | null): Float32Array | null {
  if (dense === null) return null;
  const bytes = new Uint8Array(dense.subarray(VECTOR_HEADER_BYTES));
  Buffer.from(bytes.buffer).swap32();
  return new Float32Array(bytes.buffer);
}

function sparseOf(indices: string | null, weights: string | null): SparseVector | null {
  if (indices === null || weights === null) return null;
  return { indices: Uint32Array.from(numbersOf(indices)), values: Float32Array.from(numbersOf(weights)) };
}

/** Of `{1,2}`. */
function numbersOf(list: string): readonly number[] {
  return list.length === 2 ? [] : list.slice(1, -1).split(',').map(Number);
}
