// Reads single fields of bodies and query strings. Null means absent.

import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { QueryValues } from '../../endpoint.ts';

/** Returns a field by its camelCase name or else its snake_case name; undefined when absent or null. */
export function field(body: JsonObject, name: string): unknown {
  return body[name] ?? body[snakeCaseOf(name)] ?? undefined;
}

/** @throws invalid-argument */
export function optionalString(body: JsonObject, name: string): string | undefined {
  const value = field(body, name);
  if (value !== undefined && typeof value !== 'string')
    throw invalid(`${given(body, name)} must be a string`);
  return value;
}

/** False when absent. @throws invalid-argument */
export function booleanField(body: JsonObject, name: string): boolean {
  const value = field(body, name) ?? false;
  if (typeof value !== 'boolean') throw invalid(`${given(body, name)} must be a boolean`);
  return value;
}

/** An object, not an array. @throws invalid-argument */
export function optionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = field(body, name);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) throw invalid(`${given(body, name)} must be an object`);
  return value;
}

/** @throws invalid-argument */
export function optionalArray(body: JsonObject, name: string): readonly unknown[] | undefined {
  const value = field(body, name);
  if (value !== undefined && !Array.isArray(value)) throw invalid(`${given(body, name)} must be an array`);
  return value;
}

/** @param what the value, for messages. @throws invalid-argument */
export function requiredObject(value: unknown, what: string): JsonObject {
  if (!isJsonObject(value)) throw invalid(`${what} must be an object`);
  return value;
}

/** Refuses a key that is not in a list. @param what the object, for messages. @throws invalid-argument */
export function refuseUnknown(object: JsonObject, keys: readonly string[], what: string): void {
  const unknown = Object.keys(object).find((key) => !keys.includes(key));
  if (unknown === undefined) return;
  throw invalid(`${what} has an unknown key '${fieldText(unknown)}'; it takes ${keys.join(', ')}`);
}

export interface IntegerRange {
  readonly min: number;
  readonly max: number;
}

/** @throws invalid-argument */
export function checkInteger(value: unknown, name: string, range: IntegerRange): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < range.min || value > range.max) {
    throw invalid(`${name} must be an integer from ${range.min} to ${range.max}`);
  }
  return value;
}

/** A query parameter given at most once. @throws invalid-argument */
export function queryString(query: QueryValues, name: string): string | undefined {
  const value = query[name] ?? query[snakeCaseOf(name)];
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(`${name} must be given once`);
}

/** A query parameter given any number of times. */
export function queryList(query: QueryValues, name: string): readonly string[] {
  const value = query[name] ?? [];
  return typeof value === 'string' ? [value] : value;
}

/** @throws invalid-argument */
export function queryInteger(query: QueryValues, name: string, range: IntegerRange): number | undefined {
  const text = queryString(query, name);
  if (text === undefined) return undefined;
  return checkInteger(/^\d{1,16}$/.test(text) ? Number(text) : undefined, name, range);
}

/** False when absent. @throws invalid-argument */
export function queryBoolean(query: QueryValues, name: string): boolean {
  const text = queryString(query, name) ?? 'false';
  if (text !== 'true' && text !== 'false') throw invalid(`${name} must be true or false`);
  return text === 'true';
}

/** The spelling in which the caller gave a field. */
function given(body: JsonObject, name: string): string {
  return (body[name] ?? undefined) === undefined ? snakeCaseOf(name) : name;
}

/** Snake_case names by camelCase name. Bounded by the number of fields in the code. */
const snakeCase = new Map<string, string>();

function snakeCaseOf(name: string): string {
  const known = snakeCase.get(name);
  if (known !== undefined) return known;
  const made = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeCase.set(name, made);
  return made;
}
