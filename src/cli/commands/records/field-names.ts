// Columns and fields of files that have other names than records give them, as the command line names them.
import { type FieldNames, renamed as renamedFields } from '../../../domain/imports/renamed-columns.ts';
import { misuse } from '../../command.ts';

/** Reads `values=vector,id=key`: the field of records first, its name in the files behind. @throws CliProblem */
export function readFieldNames(list: string | undefined): FieldNames {
  const names = new Map<string, string>();
  for (const pair of list?.split(',') ?? []) {
    const [field, name, ...others] = pair.split('=');
    if (!field || !name || others.length > 0) throw misuse(`--columns expects FIELD=COLUMN, got '${pair}'.`);
    if (names.has(name) || [...names.values()].includes(field))
      throw misuse(`--columns names '${names.has(name) ? name : field}' twice.`);
    names.set(name, field);
  }
  return names;
}

/** The row under the names of records. @throws Error where it has a field twice, or no such column at all */
export function renamed<Value>(
  row: Readonly<Record<string, Value>>,
  names: FieldNames,
): Readonly<Record<string, Value>> {
  if (names.size > 0 && ![...names.keys()].some((name) => Object.hasOwn(row, name)))
    throw new Error(`none of the columns ${[...names.keys()].join(', ')} is there`);
  return renamedFields(row, names);
}
