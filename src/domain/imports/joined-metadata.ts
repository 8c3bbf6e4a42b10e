// Joins the metadata column of a row with the fields that have columns of their own.
import { Buffer } from 'node:buffer';
import { fault, invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { METADATA_BYTES_MAX } from '../limits.ts';
import { parsedJson } from './parsed-json.ts';

/** White space and escapes make a text longer than its stored form, but hardly more than this many times. */
export const METADATA_TEXT_BYTES_MAX = 8 * METADATA_BYTES_MAX;

/**
 * The fields of the column, then the others.
 * @param metadata an object, or its JSON text; null or an empty text for none
 * @param column its name, for messages
 * @throws invalid-argument for anything else, and for a field that is in both; metadata-too-big
 */
export function joinedMetadata(metadata: unknown, fields: JsonObject, column: string): JsonObject {
  const json = typeof metadata === 'string' ? metadataValue(metadata) : metadata;
  if (json === null) return fields;
  if (!isJsonObject(json)) throw invalid(`Column ${column} must be a JSON object`);
  const twice = Object.keys(json).find((name) => Object.hasOwn(fields, name));
  if (twice === undefined) return { ...json, ...fields };
  throw invalid(`Column ${column} has the field '${fieldText(twice)}', which has a column of its own`);
}

/** The value of a text of metadata; null for an empty one. @throws metadata-too-big, invalid-argument */
export function metadataValue(text: string): unknown {
  if (text === '') return null;
  const bytes = Buffer.byteLength(text);
  if (bytes > METADATA_TEXT_BYTES_MAX) throw fault('metadata-too-big', { bytes });
  return parsedJson(text, 'Metadata');
}
