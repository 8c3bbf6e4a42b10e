// The columns that an import names: fields of records whose columns or fields have other names in its files.
import { invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import type { Index } from '../index-model.ts';
import { DOCUMENT_ID } from '../records/read-document.ts';
import type { FieldNames } from './renamed-columns.ts';

/** The names in the files by the fields of records. Further columns are fields of metadata. */
export type ImportColumns = Readonly<Record<string, string>>;

export const IMPORT_COLUMNS_MAX = 100;
export const COLUMN_NAME_CHARS_MAX = 512;

const VECTOR_FIELDS = ['values', 'sparse_values', 'sparseValues'];

/** Empty where an import names no columns. */
export function fieldNamesOf(columns: ImportColumns | null | undefined): FieldNames {
  return new Map(Object.entries(columns ?? {}).map(([field, column]) => [column, field]));
}

/** @throws invalid-argument for fields that records of this index cannot have, and for columns named twice */
export function checkColumns(
  columns: ImportColumns,
  index: Pick<Index, 'documents' | 'embed' | 'dimension'>,
): void {
  const seen = new Set<string>();
  for (const [field, column] of Object.entries(columns)) {
    const reason = refusal(field, index);
    if (reason !== null) throw invalid(`columns names the field '${fieldText(field)}'${reason}`);
    if (seen.has(column)) throw invalid(`columns names the column '${fieldText(column)}' twice`);
    seen.add(column);
  }
  if (Object.hasOwn(columns, 'id') && Object.hasOwn(columns, DOCUMENT_ID))
    throw invalid(`columns names both '${DOCUMENT_ID}' and 'id', which are the same field`);
}

/** The end of a sentence that says why records have no such field; null where they may. */
function refusal(
  field: string,
  { documents, embed, dimension }: Pick<Index, 'documents' | 'embed' | 'dimension'>,
): string | null {
  if (field.startsWith('$')) return ', but names of fields do not start with $';
  if (documents !== null) return field === 'id' ? `; the id of a document is '${DOCUMENT_ID}'` : null;
  const isVector = VECTOR_FIELDS.includes(field);
  if (embed !== null)
    return isVector
      ? `, but this index makes its vectors from the field '${fieldText(embed.textField)}'`
      : null;
  if (field === DOCUMENT_ID) return "; the id of a vector is 'id'";
  if (field === 'sparseValues') return "; in files it is 'sparse_values'";
  return field === 'values' && dimension === null ? ', but this index is sparse' : null;
}
