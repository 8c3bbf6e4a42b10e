// Applies the rules of upserted documents to the lines of files. Texts to embed are set apart, for the models.
import { type DocumentSchema, denseFieldOf } from '../document-schema.ts';
import { type EmbeddedField, embeddedFields, sets } from '../embedding/embedded-fields.ts';
import type { JsonObject } from '../json.ts';
import { checkDocument } from '../records/document-rules.ts';
import { documentObject, readDocument } from '../records/read-document.ts';
import type { SparseVector, StorableRecord } from '../records/record.ts';
import { checkTextLengths } from '../records/text-lengths.ts';
import type { RecordRules, VectorPair } from '../records/vector-record.ts';
import { parsedJson } from './parsed-json.ts';
import { type FieldNames, renamed } from './renamed-columns.ts';
import { uncountedOf } from './uncounted.ts';

/** The texts of a document that become vectors; null where it has none. */
export interface TextsToEmbed {
  readonly dense: string | null;
  readonly sparse: string | null;
}

export interface FileDocument {
  /** Without the vectors that are still to be made. */
  readonly record: StorableRecord;
  /** Null where the schema embeds no text. */
  readonly texts: TextsToEmbed | null;
}

/** Beside the schema; the dimension is that of the dense slot of the index, null without one. */
export type DocumentRules = Pick<RecordRules, 'dimension' | 'timeToLive'>;

/** Stands for the vector of a text, which is not made yet. */
const SPARSE_TO_COME: SparseVector = { indices: Uint32Array.of(0), values: Float32Array.of(1) };

/**
 * Returns the document of a line: the JSON object of an upsert.
 * @throws the faults of an upsert
 */
export function documentOfLine(
  text: string,
  schema: DocumentSchema,
  { names, ...rules }: DocumentRules & { readonly names: FieldNames },
): FileDocument {
  return fileDocument(renamed(documentObject(parsedJson(text, 'The line')), names), schema, rules);
}

/** Returns the document of a JSON object, as of an upsert. @throws the faults of an upsert */
export function fileDocument(
  json: JsonObject,
  schema: DocumentSchema,
  { dimension, ...rules }: DocumentRules,
): FileDocument {
  const { dense, sparse } = embeddedFields(schema);
  const toCome: VectorPair = {
    values: sets(json, dense) ? new Float32Array(dimension ?? 0) : null,
    sparse: sets(json, sparse) ? SPARSE_TO_COME : null,
  };
  const record = readDocument(json, schema, toCome);
  checkDocument(schema, record, uncountedOf(rules));
  checkTextLengths(schema, json);
  if (dense === null && sparse === null) return { record, texts: null };
  return {
    record: {
      ...record,
      values: dense === null ? record.values : null,
      sparse: sparse === null ? record.sparse : null,
    },
    texts: { dense: textOf(json, dense), sparse: textOf(json, sparse) },
  };
}

/** True when the dense vectors of the schema's documents are made of texts. */
export function embedsDense(schema: DocumentSchema): boolean {
  const name = denseFieldOf(schema);
  return name !== null && schema.fields[name]?.kind === 'string';
}

function textOf(json: JsonObject, field: EmbeddedField | null): string | null {
  const text = sets(json, field) ? json[field.name] : null;
  return typeof text === 'string' ? text : null;
}
