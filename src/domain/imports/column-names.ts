// The names of the columns of a Parquet file: fixed for vectors, and for documents those of the fields of their schema.
import type { DocumentSchema } from '../document-schema.ts';
import { DOCUMENT_ID } from '../records/read-document.ts';

/** Holds all fields of a document that have no column. No field has this name, since none starts with "_". */
export const DOCUMENT_METADATA_COLUMN = '_metadata';

export interface ColumnNames {
  readonly id: string;
  /** A list of floats; null where no column may have dense vectors. */
  readonly values: string | null;
  /** A struct of indices and values; null where no column may have sparse vectors. */
  readonly sparse: string | null;
  /** JSON text. */
  readonly metadata: string;
  readonly texts: readonly string[];
}

const OF_VECTORS: ColumnNames = {
  id: 'id',
  values: 'values',
  sparse: 'sparse_values',
  metadata: 'metadata',
  texts: [],
};

/** @param schema of a document index; null for vectors */
export function columnNames(schema: DocumentSchema | null): ColumnNames {
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

/** All names, in the order of the columns. */
export function allNames({ id, values, sparse, metadata, texts }: ColumnNames): readonly string[] {
  return [id, values, sparse, ...texts, metadata].filter((name) => name !== null);
}
