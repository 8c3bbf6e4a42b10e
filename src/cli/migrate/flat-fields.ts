// Turns the fields of another database into metadata, which is flat, and counts what does not survive as it was.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Loss } from './losses.ts';

export type NestedMode = 'dots' | 'json';

/**
 * The fields as metadata takes them: strings, numbers, booleans and lists of strings.
 * @param lose called once for each value that changes
 */
export function flatFields(fields: JsonObject, nested: NestedMode, lose: (loss: Loss) => void): JsonObject {
  const flat = new Map<string, unknown>();
  const set = (name: string, value: unknown) => {
    // Of several, the first one stays.
    if (flat.has(name)) lose('twice');
    else flat.set(name, value);
  };
  const put = (name: string, value: unknown) => {
    if (value === null || value === undefined) lose('nulls');
    else if (Array.isArray(value)) set(name, flatList(value, lose));
    else if (!isJsonObject(value)) set(name, value);
    else {
      lose('nested');
      if (nested === 'json') set(name, JSON.stringify(value));
      else for (const [inner, each] of Object.entries(value)) put(`${name}.${inner}`, each);
    }
  };
  for (const [name, value] of Object.entries(fields)) put(name, value);
  // Makes `__proto__` a field like any other.
  return Object.fromEntries(flat);
}

function flatList(list: readonly unknown[], lose: (loss: Loss) => void): unknown {
  const present = list.filter((each) => each !== null);
  if (present.length < list.length) lose('nulls');
  if (present.every((each) => typeof each === 'string')) return present;
  if (present.some((each) => typeof each === 'object')) {
    lose('lists');
    return JSON.stringify(list);
  }
  lose('numberLists');
  return present.map(String);
}
