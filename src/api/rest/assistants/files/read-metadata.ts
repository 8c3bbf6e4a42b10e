// Reads the metadata of an upload from the query, where older clients put it, and from the form.

import { invalid } from '../../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../domain/json.ts';

/** Undefined when absent. The service checks the fields. @throws invalid-argument */
export function readMetadata(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text === '') return undefined;
  const json = parse(text);
  if (json === null) return undefined;
  if (!isJsonObject(json)) throw invalid('metadata must be a JSON object.');
  // Assigning this name on another object would replace its prototype.
  if (Object.hasOwn(json, '__proto__')) throw invalid('The name __proto__ is not allowed in metadata.');
  return json;
}

/** Merges both; fields of the form win. Null when there is neither. */
export function mergeMetadata(
  query: JsonObject | undefined,
  form: JsonObject | undefined,
): JsonObject | null {
  return query === undefined && form === undefined ? null : { ...query, ...form };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('metadata must be the text of a JSON object.');
  }
}
