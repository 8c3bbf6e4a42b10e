// The tools that write records. They exist only where a setting allows them and the caller's role includes writing.
import { type Static, Type } from '../../api/schema/type.ts';
import type { JsonObject } from '../../domain/json.ts';
import { DELETED_IDS_MAX, UPSERTED_MAX } from '../limits.ts';
import { ToolError, type ToolRequest, tool } from '../tool.ts';
import { AnyObject, FILTER_GUIDE, IndexName, Namespace } from './arguments.ts';
import { dataPath, documentsPath, findIndex, type KnownIndex, recordsPath } from './index-kind.ts';

const RecordId = Type.String({ minLength: 1, description: 'Printable ASCII.' });
const FIELD_VALUES = 'Values are texts, numbers, booleans or lists of texts.';

const Written = Type.Object(
  {
    id: RecordId,
    fields: Type.Optional(
      AnyObject(
        `Fields by name. Kind text: with the text field of the index, which is embedded. Kind documents: fields of its schema and any others. Kind vectors: metadata. ${FIELD_VALUES}`,
      ),
    ),
    values: Type.Optional(
      Type.Array(Type.Number(), { description: 'Kind vectors only: the vector. Never make one up.' }),
    ),
  },
  { additionalProperties: false },
);

type WrittenRecord = Static<typeof Written>;

export const upsertRecords = tool(
  {
    name: 'upsert_records',
    title: 'Write records',
    description:
      `Writes up to ${UPSERTED_MAX} records; one with an id that exists is replaced as a whole. For an index of kind text or documents: {"index": "notes", "records": [{"id": "note-1", "fields": {"chunk_text": "A heron stands in the water.", "year": 2026}}]}. ` +
      'describe_index tells the kind and the name of the text field. A namespace that does not exist is created.',
    effect: 'destructive',
    permission: 'data_plane::vectors::write',
    input: Type.Object(
      {
        index: IndexName,
        namespace: Namespace,
        records: Type.Array(Written, { minItems: 1, maxItems: UPSERTED_MAX }),
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, namespace, records }, ask) => {
    const index = await findIndex(name, ask);
    await ask(upsertRequest(index, namespace, records));
    return { written: records.length };
  },
);

/** @throws ToolError for vectors where the service makes them */
function upsertRequest(
  index: KnownIndex,
  namespace: string | undefined,
  records: readonly WrittenRecord[],
): ToolRequest {
  const method = 'POST' as const;
  if (index.kind === 'vectors') {
    const vectors = records.map(({ id, fields, values }) => ({ id, values, metadata: fields }));
    return { method, path: `${dataPath(index)}/vectors/upsert`, body: { vectors, namespace } };
  }
  if (records.some(({ values }) => values !== undefined)) {
    throw new ToolError(`Index ${index.name} is of kind ${index.kind}: pass fields, without values.`);
  }
  const flat = records.map(({ id, fields }) => ({ ...fields, _id: id }));
  return index.kind === 'text'
    ? { method, path: `${recordsPath(index, namespace)}/upsert`, lines: flat }
    : { method, path: `${documentsPath(index, namespace)}/upsert`, body: { documents: flat } };
}

export const updateRecord = tool(
  {
    name: 'update_record',
    title: 'Change fields of a record',
    description:
      'Sets fields of one record and leaves its others as they are: {"index": "notes", "id": "note-1", "set": {"year": 2027}}. An id that does not exist changes nothing. The text field of an index of kind text cannot be changed so, because it is embedded: use upsert_records.',
    effect: 'destructive',
    permission: 'data_plane::vectors::write',
    input: Type.Object(
      {
        index: IndexName,
        namespace: Namespace,
        id: RecordId,
        set: AnyObject(`Fields by name. ${FIELD_VALUES}`),
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, namespace, id, set }, ask) => {
    const index = await findIndex(name, ask);
    if (index.textField !== null && index.textField in set) {
      throw new ToolError(
        `Field ${index.textField} is embedded: write the whole record with upsert_records.`,
      );
    }
    await ask(
      index.kind === 'documents'
        ? {
            method: 'POST',
            path: `${documentsPath(index, namespace)}/update`,
            body: { documents: [{ ...set, _id: id }] },
          }
        : {
            method: 'POST',
            path: `${dataPath(index)}/vectors/update`,
            body: { id, namespace, setMetadata: set },
          },
    );
    return { updated: id };
  },
);

export const deleteRecords = tool(
  {
    name: 'delete_records',
    title: 'Delete records',
    description:
      `Deletes records for good: up to ${DELETED_IDS_MAX} by their ids, or all that match a filter. Pass exactly one of both. ` +
      'Before deleting by a filter, look at what it matches with list_records.',
    effect: 'destructive',
    permission: 'data_plane::vectors::write',
    input: Type.Object(
      {
        index: IndexName,
        namespace: Namespace,
        ids: Type.Optional(Type.Array(RecordId, { minItems: 1, maxItems: DELETED_IDS_MAX })),
        filter: Type.Optional(AnyObject(FILTER_GUIDE)),
      },
      { additionalProperties: false },
    ),
  },
  async ({ index: name, namespace, ids, filter }, ask) => {
    if ((ids === undefined) === (filter === undefined))
      throw new ToolError('Pass exactly one of ids and filter.');
    // An empty filter matches everything.
    if (filter !== undefined && Object.keys(filter).length === 0) {
      throw new ToolError('filter must not be empty.');
    }
    const index = await findIndex(name, ask);
    const body: JsonObject = { ids, filter };
    const answer = await ask(
      index.kind === 'documents'
        ? { method: 'POST', path: `${documentsPath(index, namespace)}/delete`, body }
        : { method: 'POST', path: `${dataPath(index)}/vectors/delete`, body: { ...body, namespace } },
    );
    return { deleted: ids ?? answer.matched_records ?? 'all that matched' };
  },
);
