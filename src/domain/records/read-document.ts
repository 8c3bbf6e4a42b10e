// Reads documents and changes of documents from parsed JSON: fields of the schema by their kinds, all others as metadata.
import { Buffer } from 'node:buffer';
import type { DocumentField, DocumentSchema } from '../document-schema.ts';
import { fault, invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import { isJsonObject, type JsonObject, membersOf } from '../json.ts';
import { DOCUMENT_FIELD_NAME_BYTES_MAX, METADATA_BYTES_MAX, TEXT_VALUE_BYTES_MAX } from '../limits.ts';
import { readDense } from './dense-vector.ts';
import { isMetadataValue } from './metadata.ts';
import type { Metadata, MetadataValue, SparseVector, StorableRecord } from './record.ts';
import type { RecordChange } from './record-change.ts';
import { checkDocumentId } from './record-id.ts';
import { readSparse } from './sparse-vector.ts';
import type { VectorPair } from './vector-record.ts';

export const DOCUMENT_ID = '_id';
export const REMOVED_FIELDS = '_remove_fields';

/** What a document sets, beside its id. */
interface DocumentParts extends VectorPair {
  readonly metadata: Metadata;
}

/**
 * Reads a whole document. Rules that concern the whole of it (required fields, sizes) are left to `checkDocument`.
 * @param made vectors of its texts, where the schema embeds them
 * @throws invalid-argument, dimension-mismatch, zero-vector, empty-sparse-vector
 */
export function readDocument(json: unknown, schema: DocumentSchema, made: VectorPair): StorableRecord {
  const document = documentObject(json);
  const id = checkDocumentId(document[DOCUMENT_ID]);
  const { values, sparse, metadata } = readParts(id, fieldsOf(document), schema, made);
  const isBare = Object.keys(metadata).length === 0;
  return { id, values, sparse, metadataJson: isBare ? null : JSON.stringify(metadata) };
}

/** Reads a change of one document: fields to set, and names of fields to remove. @throws as readDocument */
export function readDocumentChange(json: unknown, schema: DocumentSchema, made: VectorPair): RecordChange {
  const document = documentObject(json);
  const id = checkDocumentId(document[DOCUMENT_ID]);
  const { [REMOVED_FIELDS]: removedJson, ...rest } = document;
  const fields = fieldsOf(rest);
  const removed = readRemovedFields(removedJson, fields);
  for (const name of removed) refuseRequired(name, schema);
  const { values, sparse, metadata } = readParts(id, fields, schema, made);
  const removeSparse =
    sparse === null && (removed.some((name) => takesSparse(schema, name)) || lost(fields, schema));
  return { id, values, sparse, removeSparse, setMetadata: metadata, removeMetadata: removed };
}

/**
 * Reads a list of field names to remove; absent means none.
 * @throws invalid-argument for anything but names, and for a field that is also set
 */
export function readRemovedFields(json: unknown, set: JsonObject): readonly string[] {
  if (json === undefined) return [];
  if (!Array.isArray(json) || !json.every((name) => typeof name === 'string')) {
    throw invalid('Fields to remove must be a list of field names');
  }
  const names: readonly string[] = json;
  for (const name of names) checkFieldName(name);
  const both = names.find((name) => Object.hasOwn(set, name));
  if (both !== undefined) throw invalid(`Field '${fieldText(both)}' cannot be both set and removed`);
  return names;
}

/** Checks a metadata field of a document. @throws invalid-argument */
export function readMetadataField(name: string, value: unknown): MetadataValue {
  if (isMetadataValue(value)) return value;
  throw invalid(
    `Field '${fieldText(name)}': Field values must be a boolean, number, string, or array of strings`,
  );
}

/** @throws invalid-argument */
export function documentObject(json: unknown): JsonObject {
  if (!isJsonObject(json)) throw invalid(`Each document must be an object with ${DOCUMENT_ID}`);
  return json;
}

/** More fields would not fit into the metadata and the schema; to copy so many first would take a second. */
const FIELDS_MAX = METADATA_BYTES_MAX / 4;

/** The fields of a document without its id. @throws invalid-argument for names that no field may have, and for null */
function fieldsOf(document: JsonObject): JsonObject {
  const count = Object.keys(document).length;
  if (count > FIELDS_MAX) {
    throw invalid(`A document has ${count} fields; at most ${FIELDS_MAX} are allowed`);
  }
  const { [DOCUMENT_ID]: _, ...fields } = document;
  for (const [name, value] of Object.entries(fields)) {
    checkFieldName(name);
    if (value === null) {
      throw invalid(
        `Field '${fieldText(name)}' must not be null; to remove it, name it in the fields to remove`,
      );
    }
  }
  return fields;
}

/** @throws invalid-argument */
export function checkFieldName(name: string): void {
  if (name === '') throw invalid('Field names must not be empty');
  if (name.startsWith('_') || name.startsWith('$')) {
    throw invalid(`Field '${fieldText(name)}': field names must not start with '_' or '$'`);
  }
  if (Buffer.byteLength(name) > DOCUMENT_FIELD_NAME_BYTES_MAX) {
    throw invalid(
      `Field '${fieldText(name)}': field names must be at most ${DOCUMENT_FIELD_NAME_BYTES_MAX} bytes long`,
    );
  }
}

function readParts(id: string, fields: JsonObject, schema: DocumentSchema, made: VectorPair): DocumentParts {
  let { values, sparse } = made;
  const metadata: [string, MetadataValue][] = [];
  for (const [name, value] of Object.entries(fields)) {
    const field = fieldOf(schema, name);
    if (field?.kind === 'dense') values = readValues(id, value, field.dimension);
    else if (field?.kind === 'sparse') sparse = readSparseField(name, value);
    else if (field?.kind !== 'string') metadata.push([name, readMetadataField(name, value)]);
    else {
      const text = readText(name, value);
      if (field.storeText) metadata.push([name, text]);
    }
  }
  // fromEntries defines own keys, so a field called `__proto__` stays a field.
  return { values, sparse, metadata: Object.fromEntries(metadata) };
}

function fieldOf({ fields }: DocumentSchema, name: string): DocumentField | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function readValues(id: string, json: unknown, dimension: number): Float32Array {
  const { values, allZero } = readDense(json, dimension);
  if (allZero) throw fault('zero-vector', { id });
  return values;
}

function readSparseField(name: string, json: unknown): SparseVector {
  const { indices, values, ...others } = membersOf(json);
  if (!Array.isArray(indices) || !Array.isArray(values) || Object.keys(others).length > 0) {
    throw invalid(`Field '${fieldText(name)}' must be an object with the lists indices and values`);
  }
  return readSparse(indices, values);
}

/** The text of a string field. @throws invalid-argument */
export function readText(name: string, json: unknown): string {
  if (typeof json !== 'string') throw invalid(`Field '${fieldText(name)}' must be a string`);
  const bytes = Buffer.byteLength(json);
  if (bytes > TEXT_VALUE_BYTES_MAX) {
    throw invalid(
      `Field '${fieldText(name)}' has a text of ${bytes} bytes; at most ${TEXT_VALUE_BYTES_MAX} are allowed`,
    );
  }
  return json;
}

/** Removing what every document must have is refused. */
function refuseRequired(name: string, schema: DocumentSchema): void {
  const field = fieldOf(schema, name);
  const isRequired = field?.kind === 'dense' || (field?.kind === 'string' && field.embed !== null);
  if (isRequired) throw invalid(`Field '${fieldText(name)}' is required and cannot be removed`);
}

function takesSparse(schema: DocumentSchema, name: string): boolean {
  const field = fieldOf(schema, name);
  return field?.kind === 'sparse' || (field?.kind === 'string' && field.sparseEmbed !== null);
}

/** True when a text without words replaces the one that the sparse vector was made of. */
function lost(fields: JsonObject, schema: DocumentSchema): boolean {
  return Object.keys(fields).some(
    (name) => fieldOf(schema, name)?.kind === 'string' && takesSparse(schema, name),
  );
}
