// Reads the metadata of an upload from the query, where older clients put it, and from the form.
import { invalid } from '../../../../domain/faults.ts';

type JsonMap = Readonly<Record<string, unknown>>;

/** Undefined when absent. The service checks the fields. @throws invalid-argument */
export function readMetadata(text: string | undefined): JsonMap | undefined {
  if (text === undefined || text === '') return undefined;
  const json = parse(text);
  if (json === null) return undefined;
  if (typeof json !== 'object' || Array.isArray(json)) throw invalid('metadata must be a JSON object.');
  // Assigning this name on another object would replace its prototype.
  if (Object.hasOwn(json, '__proto__')) throw invalid('The name __proto__ is not allowed in metadata.');
  return json as JsonMap;
}

/** Merges both; fields of the form win. Null when there is neither. */
export function mergeMetadata(query: JsonMap | undefined, form: JsonMap | undefined): JsonMap | null {
  return query === undefined && form === undefined ? null : { ...query, ...form };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('metadata must be the text of a JSON object.');
  }
}
