// The names of the columns of a Parquet file: fixed for vectors, for documents and texts those of their fields.
import type { DocumentSchema } from '../document-schema.ts';
import { DOCUMENT_ID } from '../records/read-document.ts';
import { TEXT_RECORD_IDS } from '../records/text-record.ts';

/** Holds all fields of a document that have no column. No field has this name, since none starts with "_". */
export const DOCUMENT_METADATA_COLUMN = '_metadata';
export const METADATA_COLUMN = 'metadata';

/** What the records of an index are; vectors where neither is there. */
export interface RecordKind {
  /** The schema of a document index. */
  readonly documents?: DocumentSchema | null;
  /** The field whose text an index for a model embeds. */
  readonly textField?: string | null;
}

export interface ColumnNames {
  readonly id: string;
  /** Other names that the column of ids may have. */
  readonly otherIds?: readonly string[];
  /** A list of floats; null where no column may have dense vectors. */
  readonly values: string | null;
  /** A struct of indices and values; null where no column may have sparse vectors. */
  readonly sparse: string | null;
  /** JSON text, or a struct. */
  readonly metadata: string;
  readonly texts: readonly string[];
  /** True where further columns are fields of metadata by themselves. */
  readonly takesOthers?: boolean;
}

const OF_VECTORS: ColumnNames = {
  id: 'id',
  values: 'values',
  sparse: 'sparse_values',
  metadata: METADATA_COLUMN,
  texts: [],
};

export function columnNames({ documents: schema = null, textField = null }: RecordKind): ColumnNames {
  if (textField !== null) return ofTexts(textField);
  if (schema === null) return OF_VECTORS;
  const fields = Object.entries(schema.fields);
  const named = (kind: string) => fields.filter(([, field]) => field.kind === kind).map(([name]) => name);
  return {
    id: DOCUMENT_ID,
    values: named('dense')[0] ?? null,
    sparse: named('sparse')[0] ?? null,
    metadata: DOCUMENT_METADATA_COLUMN,
    texts: named('string'),
  };
}

function ofTexts(textField: string): ColumnNames {
  const [id, ...otherIds] = TEXT_RECORD_IDS;
  return {
    ...{ id, otherIds, values: null, sparse: null, metadata: metadataColumnOf(textField) },
    texts: [textField],
    takesOthers: true,
  };
}

/** The column with further fields of texts: another one where `metadata` is the text itself. */
export function metadataColumnOf(textField: string): string {
  return textField === METADATA_COLUMN ? DOCUMENT_METADATA_COLUMN : METADATA_COLUMN;
}

/** The names that the column of ids may have. */
export function allIds({ id, otherIds = [] }: ColumnNames): readonly string[] {
  return [id, ...otherIds];
}

/** All names, in the order of the columns. */
export function allNames({ id, values, sparse, metadata, texts }: ColumnNames): readonly string[] {
  return [id, values, sparse, ...texts, metadata].filter((name) => name !== null);
}
