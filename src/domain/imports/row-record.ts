// Applies the rules of records to the rows of files, with the same messages as upserts.

import { fault, invalid } from '../faults.ts';
import { isJsonObject, membersOf } from '../json.ts';
import { DENSE_MAGNITUDE_MIN, SPARSE_ENTRIES_MAX } from '../limits.ts';
import { readMetadata } from '../records/metadata.ts';
import { DOCUMENT_ID } from '../records/read-document.ts';
import type { SparseVector, StorableRecord } from '../records/record.ts';
import { checkRecordId } from '../records/record-id.ts';
import { readSparse } from '../records/sparse-vector.ts';
import { type RecordRules, readRecord, type VectorShape } from '../records/vector-record.ts';
import { METADATA_COLUMN } from './column-names.ts';
import { joinedMetadata, metadataValue } from './joined-metadata.ts';
import { parsedJson } from './parsed-json.ts';
import { type FieldNames, renamed } from './renamed-columns.ts';
import type { Row, RowNumbers, RowSparse } from './row.ts';
import { uncountedOf } from './uncounted.ts';

const LINE_FIELDS = new Set(['id', 'values', 'sparse_values', 'sparseValues', 'metadata']);
/** Bits of a 32-bit float without its sign: the mask, the smallest normal float, and infinity; NaN lies above. */
const MAGNITUDE_BITS = 0x7fff_ffff;
const NORMAL_BITS_MIN = 0x0080_0000;
const INFINITE_BITS = 0x7f80_0000;

/** Returns the record of a row. @throws the record faults of the catalog */
export function recordOfRow(row: Row, rules: RecordRules): StorableRecord {
  const id = checkRecordId(row.id);
  const values = denseOf(id, row.values, rules);
  const sparse = sparseOf(row.sparse);
  if (sparse === null && rules.dimension === null) throw fault('empty-sparse-vector');
  return {
    id,
    values,
    sparse,
    metadataJson: readMetadata(withOthers(row.metadata, row.fields), uncountedOf(rules)),
  };
}

/**
 * Returns the record of a line: a JSON object with the same fields.
 * @param names null where the line must have no other fields; else they are metadata, too
 * @throws the record faults of the catalog
 */
export function recordOfLine(text: string, rules: RecordRules, names: FieldNames | null): StorableRecord {
  const json = parsedJson(text, 'The line');
  if (!isJsonObject(json)) {
    throw invalid('The line must be a JSON object');
  }
  const item = names === null ? json : renamed(json, names);
  if (Object.hasOwn(item, DOCUMENT_ID)) {
    throw invalid('The line is a document; an index of vectors takes vectors, with the fields id and values');
  }
  const others = Object.entries(item).filter(([name]) => !LINE_FIELDS.has(name));
  const [unknown] = others;
  if (unknown !== undefined && names === null)
    throw invalid(`Unknown field '${unknown[0]}'; fields are id, values, sparse_values, metadata`);
  const { metadata } = item;
  // As in Parquet columns, metadata may also be text.
  if (unknown === undefined && typeof metadata !== 'string')
    return readRecord(item, rules, uncountedOf(rules));
  return readRecord({ ...item, metadata: withOthers(metadata ?? null, others) }, rules, uncountedOf(rules));
}

/** Returns the id of a refused line, which helps to find it in the file; null when it has none. */
export function idOfLine(text: string, names: readonly string[]): string | null {
  try {
    const line = membersOf(JSON.parse(text));
    const id = names.map((name) => line[name]).find((value) => typeof value === 'string');
    return typeof id === 'string' ? id.toWellFormed() : null;
  } catch {
    return null;
  }
}

function denseOf(id: string, given: RowNumbers | null, { dimension }: VectorShape): Float32Array | null {
  const actual = given?.length ?? 0;
  if (dimension === null) {
    if (actual > 0) throw invalid('Sparse indexes take sparse values only; leave out the dense values');
    return null;
  }
  if (given === null || actual !== dimension)
    throw fault('dimension-mismatch', { actual, expected: dimension });
  if (given.hasNull) throw invalid('Vector values must be numbers');
  const values = given.values instanceof Float32Array ? given.values : Float32Array.from(given.values);
  if (settle(values) < DENSE_MAGNITUDE_MIN) throw fault('zero-vector', { id });
  return values;
}

/**
 * Flushes denormal floats and -0 to zero in place, and returns the largest magnitude. Compares bits, which without the
 * sign are ordered like magnitudes; this takes half the time of comparing floats.
 */
function settle(values: Float32Array): number {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  let peak = 0;
  for (let i = 0; i < words.length; i++) {
    const bits = (words[i] ?? 0) & MAGNITUDE_BITS;
    if (bits < NORMAL_BITS_MIN) words[i] = 0;
    else if (bits > peak) peak = bits;
  }
  if (peak >= INFINITE_BITS) throw invalid('Vector values must be finite 32-bit floats');
  return new Float32Array(Uint32Array.of(peak).buffer)[0] ?? 0;
}

function sparseOf(given: RowSparse | null): SparseVector | null {
  if (given === null) return null;
  const { indices, values } = given;
  if (indices?.hasNull || values?.hasNull) throw invalid('Sparse indices and values must be numbers');
  const lengths = [indices?.length ?? 0, values?.length ?? 0] as const;
  if (lengths[0] !== lengths[1]) {
    throw invalid(`Sparse indices and values must have the same length, got ${lengths[0]} and ${lengths[1]}`);
  }
  if (lengths[0] > SPARSE_ENTRIES_MAX) {
    throw invalid(`Sparse vector has ${lengths[0]} entries, the maximum is ${SPARSE_ENTRIES_MAX}`);
  }
  const floats = Array.from(values?.values ?? []);
  if (!floats.every(Number.isFinite)) throw invalid('Vector values must be finite 32-bit floats');
  return readSparse(Array.from(indices?.values ?? []), floats);
}

/** What the metadata column or field holds, and the fields beside it. */
function withOthers(metadata: unknown, others: readonly (readonly [string, unknown])[]): unknown {
  if (others.length > 0) return joinedMetadata(metadata, Object.fromEntries(others), METADATA_COLUMN);
  return typeof metadata === 'string' ? metadataValue(metadata) : metadata;
}
