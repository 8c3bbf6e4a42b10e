// Turns rows of files into what an index takes: vectors with metadata, texts, or documents.
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { IndexKind } from '../../client/index-kind.ts';

/** How a row is sent: an index of texts takes vectors, too. */
export function formOf(row: JsonObject, kind: IndexKind): IndexKind {
  return kind === 'texts' && row.values !== undefined ? 'vectors' : kind;
}

/** @throws Error for a row without an id, for a number that the id may no longer be, and for metadata without fields */
export function wireRecord(row: JsonObject, form: IndexKind): JsonObject {
  if (form === 'documents') return documentOf(row);
  return form === 'texts' ? textOf(row) : vectorOf(row);
}

/** Columns beside those of a record are metadata. */
function vectorOf(row: JsonObject): JsonObject {
  const { id, _id, values, sparse_values, sparseValues = sparse_values, metadata, ...others } = row;
  const all = { ...others, ...fieldsOf(metadata) };
  return {
    id: idOf(id ?? _id),
    ...(values === undefined ? {} : { values }),
    ...(sparseValues === undefined ? {} : { sparseValues }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
  };
}

function textOf({ id, _id = id, metadata, ...fields }: JsonObject): JsonObject {
  return { _id: idOf(_id), ...fieldsOf(metadata), ...fields };
}

function documentOf({ id, _id = id, _metadata, ...fields }: JsonObject): JsonObject {
  return { _id: idOf(_id), ...fieldsOf(_metadata), ...fields };
}

function fieldsOf(metadata: unknown): JsonObject {
  if (metadata === undefined || metadata === null) return {};
  if (isJsonObject(metadata)) return metadata;
  throw new Error('its metadata is no JSON object');
}

function idOf(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  if (typeof id !== 'number') throw new Error('no id, expected a field id or _id');
  // JSON numbers hold no others: the ids of several rows would become one.
  if (Number.isSafeInteger(id)) return String(id);
  throw new Error(`the id is a number that is not whole or beyond 2^53 (about ${id}), expected a string`);
}
