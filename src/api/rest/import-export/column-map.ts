// The names that fields of records have in the files of an import, as requests give them.
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import {
  COLUMN_NAME_CHARS_MAX,
  IMPORT_COLUMNS_MAX,
  type ImportColumns,
} from '../../../domain/imports/import-columns.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { Type } from '../../schema/type.ts';

export const ColumnMap = Type.Record(
  Type.String(),
  Type.String({ minLength: 1, maxLength: COLUMN_NAME_CHARS_MAX }),
  {
    maxProperties: IMPORT_COLUMNS_MAX,
    description:
      'Of this server. Fields of records that are called otherwise in the files: the field first, the name of its column (or field of a line) ' +
      'behind. With it, even empty, further columns become metadata, those of structs with dotted names.',
    examples: [{ id: 'key', values: 'vector' }],
  },
);

/** @throws invalid-argument */
export function columnsOf(json: JsonObject): ImportColumns {
  const columns = Object.entries(json);
  if (columns.length > IMPORT_COLUMNS_MAX)
    throw invalid(`columns may name at most ${IMPORT_COLUMNS_MAX} fields, got ${columns.length}`);
  return Object.fromEntries(columns.map(([field, column]) => [field, columnOf(field, column)]));
}

function columnOf(field: string, column: unknown): string {
  if (field === '') throw invalid('columns must not name an empty field');
  if (typeof column === 'string' && column !== '' && column.length <= COLUMN_NAME_CHARS_MAX) return column;
  throw invalid(
    `columns.${fieldText(field)} must be the name of a column, 1 to ${COLUMN_NAME_CHARS_MAX} characters long`,
  );
}
