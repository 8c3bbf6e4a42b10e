// The parts of a records search that two threads read: the main thread to call models, the engine's to search.
import { invalid } from '../../../domain/faults.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { SEARCH_FIELDS_MAX } from '../../../domain/limits.ts';
import { field, optionalArray, optionalObject, optionalString } from './request-fields.ts';

/** @throws invalid-argument when absent */
export function readQuery(request: JsonObject): JsonObject {
  const query = optionalObject(request, 'query');
  if (query === undefined) throw invalid('query is required');
  return query;
}

/** Returns what a search goes by. @throws invalid-argument unless it is exactly one */
export function targetKind(query: JsonObject): 'inputs' | 'vector' | 'id' {
  const kinds = (['inputs', 'vector', 'id'] as const).filter((name) => field(query, name) !== undefined);
  const [kind, ...others] = kinds;
  if (kind === undefined || others.length > 0) throw invalid('Give exactly one of inputs, vector and id');
  if (kind !== 'inputs' && field(query, 'matchTerms') !== undefined) {
    throw invalid('match_terms is for searches with inputs');
  }
  return kind;
}

/** @throws invalid-argument when absent */
export function readText(query: JsonObject): string {
  const text = optionalString(optionalObject(query, 'inputs') ?? {}, 'text');
  if (text === undefined) throw invalid('query.inputs.text is required');
  if (text.trim() === '') throw invalid('query.inputs.text must not be empty');
  return text;
}

/** Stands for every field. The Python client sends it by default. */
const EVERY_FIELD = '*';

/** Reads which fields hits show; null means every field. @throws invalid-argument */
export function readFields(request: JsonObject): ReadonlySet<string> | null {
  const fields = optionalArray(request, 'fields');
  if (fields === undefined) return null;
  if (fields.length > SEARCH_FIELDS_MAX) throw invalid(`fields must hold at most ${SEARCH_FIELDS_MAX} names`);
  const names = strings(fields, 'fields');
  return names.includes(EVERY_FIELD) ? null : new Set(names);
}

/** Checks that all items are strings; `name` is the subject of the refusal. @throws invalid-argument */
export function strings(list: readonly unknown[], name: string): readonly string[] {
  return list.map((item) => {
    if (typeof item !== 'string') throw invalid(`${name} must be strings`);
    return item;
  });
}
