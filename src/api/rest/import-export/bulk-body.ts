// Parses the bodies that start imports and exports.

import { invalid } from '../../../domain/faults.ts';
import type { OnError } from '../../../domain/imports/import-model.ts';
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

/** @param name where it was given @throws invalid-argument */
export function readOnError(given: string | undefined, name: string): OnError {
  const onError = given?.toLowerCase() ?? 'continue';
  if (onError === 'abort' || onError === 'continue') return onError;
  throw invalid(`${name} must be abort or continue`);
}
