// Columns and fields of files that have other names than records give them.
import { invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';

/** Fields of records by the names that they have in the files. */
export type FieldNames = ReadonlyMap<string, string>;

/** The row under the names of records. @throws invalid-argument where it has a field twice */
export function renamed<Value>(
  row: Readonly<Record<string, Value>>,
  names: FieldNames,
): Readonly<Record<string, Value>> {
  if (names.size === 0) return row;
  const fields = new Map<string, Value>();
  for (const [name, value] of Object.entries(row)) {
    const field = names.get(name) ?? name;
    if (fields.has(field)) throw twice(field);
    fields.set(field, value);
  }
  // fromEntries defines own keys, so a field called `__proto__` stays a field.
  return Object.fromEntries(fields);
}

export function twice(field: string) {
  return invalid(`there are two columns for '${fieldText(field)}'`);
}
