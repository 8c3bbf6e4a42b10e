// Parses parts of inference requests. Names may be in either spelling, as clients write them.

import { snakeCaseNames } from '../../../domain/embedding/stored-parameters.ts';
import { invalid } from '../../../domain/faults.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { optionalArray, optionalObject, optionalString } from '../records/request-fields.ts';

/** @throws invalid-argument */
export function requestObject(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalid('The request body must be a JSON object.');
}

/** @throws invalid-argument when absent or empty */
export function requiredText(request: JsonObject, name: string): string {
  const value = optionalString(request, name);
  if (value === undefined || value === '') throw invalid(`${name} is required and must not be empty.`);
  return value;
}

/** @throws invalid-argument when absent */
export function requiredList(request: JsonObject, name: string): readonly unknown[] {
  const list = optionalArray(request, name);
  if (list === undefined) throw invalid(`${name} is required.`);
  return list;
}

/** Empty if absent. @throws invalid-argument */
export function parametersOf(request: JsonObject): JsonObject {
  return snakeCaseNames(optionalObject(request, 'parameters') ?? {});
}
