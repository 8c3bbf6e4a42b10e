// Turns rows of files into what an index takes: vectors with metadata, texts, or documents.
import { METADATA_COLUMN, metadataColumnOf } from '../../../domain/imports/column-names.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { IndexKind } from '../../client/index-kind.ts';

/** How a row is sent: an index of texts takes vectors, too. */
export function formOf(row: JsonObject, kind: IndexKind): IndexKind {
  return kind === 'texts' && row.values !== undefined ? 'vectors' : kind;
}

/**
 * The row as an upsert takes it, with everything that it has.
 * @param textFields fields of an index of texts that are texts, whatever they are called
 * @throws Error for a row without an id or with two, for one without the values of its form, for a number that the id may
 *   no longer be, and for metadata that is
 *   no object, has an id, or has a field of the row
 */
export function wireRecord(row: JsonObject, form: IndexKind, textFields: Iterable<string> = []): JsonObject {
  if (form === 'documents') return documentOf(row);
  return form === 'texts' ? textOf(row, new Set(textFields)) : vectorOf(row);
}

/** Columns beside those of a record are metadata. */
function vectorOf(row: JsonObject): JsonObject {
  const { id, _id, values, sparse_values, sparseValues, metadata, ...others } = row;
  const sparse = oneOf({ sparseValues, sparse_values });
  const all = joined(others, { metadata });
  const record = {
    id: idOf(oneOf({ id, _id })),
    ...(values === undefined ? {} : { values }),
    ...(sparse === undefined ? {} : { sparseValues: sparse }),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
  };
  if (isSet(values) || sparse !== undefined) return record;
  throw new Error('no values, expected a list of numbers in the field values (or --columns values=NAME)');
}

function textOf({ id, _id, ...row }: JsonObject, textFields: ReadonlySet<string>): JsonObject {
  const column = textFields.has(METADATA_COLUMN) ? metadataColumnOf(METADATA_COLUMN) : METADATA_COLUMN;
  const { [column]: metadata, ...fields } = row;
  return joined({ _id: idOf(oneOf({ _id, id })), ...fields }, { [column]: metadata });
}

/** Documents may have a field `id`, as they are fetched: it is their id only where they have no other. */
function documentOf({ _id, _metadata, ...fields }: JsonObject): JsonObject {
  const { id, ...others } = fields;
  if (_id === undefined) return joined({ _id: idOf(id), ...others }, { _metadata });
  return joined({ _id: idOf(_id), ...fields }, { _metadata });
}

/** The value that has one of several names. @throws Error where both have one */
function oneOf(values: JsonObject): unknown {
  const given = Object.entries(values).filter(([, value]) => isSet(value));
  if (given.length > 1)
    throw new Error(`it has both ${given.map(([name]) => name).join(' and ')}, expected one of them`);
  return given[0]?.[1];
}

/**
 * The fields of the row and those of its metadata, an object under one name.
 * @throws Error for a field that has a value in both
 */
function joined(fields: JsonObject, named: JsonObject): JsonObject {
  const [[name, metadata] = ['', undefined]] = Object.entries(named);
  if (!isSet(metadata)) return fields;
  if (!isJsonObject(metadata)) throw new Error('its metadata is no JSON object');
  const own = Object.fromEntries(
    Object.entries(metadata).filter(([field, value]) => isSet(value) || !Object.hasOwn(fields, field)),
  );
  const twice = Object.keys(own).find((field) => Object.hasOwn(fields, field) && isSet(fields[field]));
  if (twice === undefined) return { ...fields, ...own };
  throw new Error(`its ${name} has the field '${twice}', which the row has beside it`);
}

/** Columns of files have null in the rows without a value. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function idOf(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id;
  if (typeof id !== 'number') throw new Error('no id, expected a field id or _id');
  // JSON numbers hold no others: the ids of several rows would become one.
  if (Number.isSafeInteger(id)) return String(id);
  throw new Error(`the id is a number that is not whole or beyond 2^53 (about ${id}), expected a string`);
}
