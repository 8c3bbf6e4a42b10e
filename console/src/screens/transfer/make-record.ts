// Makes what an upsert takes from a row of a file, by the roles of its columns.
import { Unreadable } from '../../../../src/file-formats/parquet/plain-rows.ts';
import type { Index } from '../../api/types.ts';
import { isDocumentIndex, textFieldOf } from '../index/index-kind.ts';
import { type Column, isNumberText, type Type } from './columns.ts';
import type { Row } from './read-rows.ts';

export type Made = { readonly record: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** @param isText whether values are texts, to convert by the types of their columns */
export function makeRecord(index: Index, row: Row, columns: readonly Column[], isText: boolean): Made {
  if (row.problem !== undefined) return { problem: row.problem };
  const parts: Record<string, unknown> = {};
  const fields = new Map<string, unknown>();
  try {
    for (const { name, type, role } of columns) {
      const value = row.values[name];
      if (value === undefined || value === null || role === 'none') continue;
      if (value instanceof Unreadable) return { problem: value.problem };
      if (role === 'id') parts.id = textOf(name, value, 'ids');
      else if (role === 'text') parts.text = textOf(name, value, 'texts to embed');
      else if (role === 'values') parts.values = isText ? vectorIn(name, String(value)) : value;
      else if (role === 'sparse') parts.sparseValues = isText ? parsed(name, String(value)) : value;
      else if (role === 'spread')
        for (const [field, each] of Object.entries(objectIn(name, value))) put(fields, field, each);
      else put(fields, name, isText ? converted(name, type, String(value)) : value);
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  return recordOf(index, parts, fields);
}

function recordOf(
  index: Index,
  { id, text, ...vectors }: Readonly<Record<string, unknown>>,
  fields: ReadonlyMap<string, unknown>,
): Made {
  if (id === undefined) return { problem: 'The row has no id' };
  const field = textFieldOf(index);
  const own = { _id: id, ...(text === undefined || field === undefined ? {} : { [field]: text }) };
  // fromEntries defines own keys, so a field called `__proto__` stays a field.
  const others = Object.fromEntries(fields);
  if (!isDocumentIndex(index) && field === undefined)
    return { record: { id, ...vectors, ...(fields.size === 0 ? {} : { metadata: others }) } };
  const taken = Object.keys(own).find((name) => fields.has(name));
  return taken === undefined ? { record: { ...others, ...own } } : { problem: twice(taken) };
}

/** @throws Error where the row has the field already */
function put(fields: Map<string, unknown>, name: string, value: unknown): void {
  if (fields.has(name)) throw new Error(twice(name));
  fields.set(name, value);
}

function twice(name: string): string {
  return `${name}: two values of the row have this name`;
}

function converted(name: string, type: Type, text: string): unknown {
  switch (type) {
    case 'number':
      return numberIn(name, text);
    case 'true or false':
      if (text.trim() !== 'true' && text.trim() !== 'false')
        throw new Error(`${name}: '${text.slice(0, 40)}' is neither true nor false`);
      return text.trim() === 'true';
    case 'vector':
    case 'list of texts':
    case 'object':
      return parsed(name, text);
    default:
      return text;
  }
}

/**
 * Objects and lists have no text of their own, and JSON numbers hold no whole ones beyond 2^53: the ids of several rows
 * would become one.
 */
function textOf(name: string, value: unknown, what: string): string {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return String(value);
  const found = typeof value === 'number' ? `about ${value}` : JSON.stringify(value).slice(0, 40);
  throw new Error(`${name}: ${what} are texts or whole numbers up to 2^53, not ${found}`);
}

/** Whole numbers beyond 2^53 stay texts, since JSON numbers do not hold them. */
function numberIn(name: string, text: string): number | string {
  const number = Number(text);
  if (!isNumberText(text) || !Number.isFinite(number))
    throw new Error(`${name}: '${text.slice(0, 40)}' is not a number; choose the type text to keep it`);
  return /^\s*-?\d+\s*$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}

/** As JSON, or as numbers between commas, semicolons or spaces. */
function vectorIn(name: string, text: string): readonly number[] {
  const numbers = text
    .replaceAll(/[[\]]/g, ' ')
    .split(/[\s,;]+/)
    .filter((each) => each !== '')
    .map(Number);
  if (numbers.length === 0 || !numbers.every(Number.isFinite))
    throw new Error(`${name}: '${text.slice(0, 40)}' is not a vector`);
  return numbers;
}

function objectIn(name: string, value: unknown): object {
  const object = typeof value === 'string' ? parsed(name, value) : value;
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw new Error(`${name}: an object of fields was expected`);
  return object;
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name}: '${text.slice(0, 40)}' is not JSON`);
  }
}
