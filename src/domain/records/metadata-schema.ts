// The metadata schema a namespace or index may be given: which fields filters can use.

import { invalid } from '../faults.ts';
import type { MetadataSchema } from '../index-model.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { METADATA_SCHEMA_FIELDS_MAX } from '../limits.ts';

/** Reads `{fields: {name: {filterable: true}}}`; null when absent. @throws invalid-argument */
export function readMetadataSchema(json: unknown): MetadataSchema | null {
  if (json === undefined || json === null) return null;
  const fields = Object.entries(objectOf(objectOf(json, 'schema').fields, 'schema.fields'));
  if (fields.length < 1 || fields.length > METADATA_SCHEMA_FIELDS_MAX) {
    throw invalid(`schema.fields must name 1 to ${METADATA_SCHEMA_FIELDS_MAX} fields, got ${fields.length}`);
  }
  return {
    // fromEntries defines own keys, so a field called `__proto__` stays a field.
    fields: Object.fromEntries(fields.map(([name, entry]) => [name, readEntry(name, entry)])),
  };
}

function readEntry(name: string, entry: unknown): { readonly filterable: true } {
  if (name === '' || name.startsWith('$')) {
    throw invalid(`Schema field names must not be empty or start with '$', got '${name}'`);
  }
  const { filterable } = objectOf(entry, `schema.fields.${name}`);
  if (filterable === false) {
    throw invalid(`Field '${name}' is set to filterable: false. Only filterable: true is supported.`);
  }
  if (filterable !== true) throw invalid(`schema.fields.${name}.filterable must be true`);
  return { filterable };
}

function objectOf(json: unknown, name: string): JsonObject {
  if (!isJsonObject(json)) {
    throw invalid(`${name} must be an object`);
  }
  return json;
}
