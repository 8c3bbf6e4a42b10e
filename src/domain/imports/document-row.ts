// Applies the rules of upserted documents to the rows of Parquet files.
import type { DocumentSchema } from '../document-schema.ts';
import { fault, invalid } from '../faults.ts';
import { fieldText } from '../filter/condition-text.ts';
import type { JsonObject } from '../json.ts';
import { settleFloats } from '../records/dense-vector.ts';
import { DOCUMENT_ID } from '../records/read-document.ts';
import { columnNames, DOCUMENT_METADATA_COLUMN } from './column-names.ts';
import { type DocumentRules, type FileDocument, fileDocument } from './document-line.ts';
import { joinedMetadata } from './joined-metadata.ts';
import { parsedJson } from './parsed-json.ts';
import type { Row, RowNumbers, RowSparse } from './row.ts';

/** Returns the document of a row. @throws the faults of an upsert */
export function documentOfRow(
  { id, values, sparse, texts, metadata, fields: others }: Row,
  schema: DocumentSchema,
  rules: DocumentRules,
): FileDocument {
  const names = columnNames({ documents: schema });
  // fromEntries defines own keys, so a field called `__proto__` stays a field.
  const fields: JsonObject = Object.fromEntries([
    ...Object.entries(otherFields(metadata, Object.fromEntries(others), schema)),
    ...texts,
    ...(names.values === null || values === null ? [] : [[names.values, floatsOf(values, rules.dimension)]]),
    ...(names.sparse === null || sparse === null ? [] : [[names.sparse, sparseOf(sparse)]]),
    [DOCUMENT_ID, id],
  ]);
  return fileDocument(fields, schema, rules);
}

function otherFields(text: string | null, others: JsonObject, { fields }: DocumentSchema): JsonObject {
  const json = joinedMetadata(
    text === null || text === '' ? null : parsedJson(text, `Column ${DOCUMENT_METADATA_COLUMN}`),
    others,
    DOCUMENT_METADATA_COLUMN,
  );
  const column = Object.keys(json).find(
    (name) => name === DOCUMENT_ID || (Object.hasOwn(fields, name) && fields[name]?.kind !== 'metadata'),
  );
  if (column === undefined) return json;
  throw invalid(
    `Column ${DOCUMENT_METADATA_COLUMN} has the field '${fieldText(column)}', which has a column of its own`,
  );
}

function floatsOf(given: RowNumbers, dimension: number | null): Float32Array {
  if (given.length !== dimension) {
    throw fault('dimension-mismatch', { actual: given.length, expected: dimension ?? 0 });
  }
  if (given.hasNull) throw invalid('Vector values must be numbers');
  const values = Float32Array.from(given.values);
  settleFloats(values);
  return values;
}

function sparseOf({ indices, values }: RowSparse): JsonObject {
  if (indices?.hasNull || values?.hasNull) throw invalid('Sparse indices and values must be numbers');
  return { indices: Array.from(indices?.values ?? []), values: Array.from(values?.values ?? []) };
}
