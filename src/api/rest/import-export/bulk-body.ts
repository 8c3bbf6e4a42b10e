// Parses the bodies that start imports and exports.

import { invalid } from '../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { optionalString } from '../records/request-fields.ts';

/** @throws invalid-argument */
export function bulkBody(json: unknown): JsonObject {
  if (!isJsonObject(json)) {
    throw invalid('The request body must be a JSON object');
  }
  return json;
}

/** Undefined when absent. @throws invalid-argument for an empty or long text */
export function textField(body: JsonObject, name: string, charsMax: number): string | undefined {
  const text = optionalString(body, name);
  if (text === undefined) return undefined;
  if (text === '' || text.length > charsMax)
    throw invalid(`${name} must be 1 to ${charsMax} characters long`);
  return text;
}
