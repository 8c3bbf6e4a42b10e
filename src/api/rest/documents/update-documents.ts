// POST /namespaces/{namespace}/documents/update: changes documents by id, or the metadata of all that match a filter.

import type { VectorWriter } from '../../../app/records/record-access.ts';
import type { DocumentSchema } from '../../../domain/document-schema.ts';
import { invalid } from '../../../domain/faults.ts';
import { fieldText } from '../../../domain/filter/condition-text.ts';
import { parseMetadataFilter } from '../../../domain/filter/document-filter.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import { UPDATE_BY_FILTER_RECORDS_MAX } from '../../../domain/limits.ts';
import {
  checkFieldName,
  readDocumentChange,
  readMetadataField,
  readRemovedFields,
} from '../../../domain/records/read-document.ts';
import type { Metadata } from '../../../domain/records/record.ts';
import { checkTextLengths } from '../../../domain/records/text-lengths.ts';
import type { DataCall, DataEndpoint, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { writeReply } from '../records/freshness.ts';
import { documentBody, packedBody } from './document-body.ts';
import {
  DOCUMENT_WRITE_FAULTS,
  documentCall,
  documentList,
  documentNamespace,
  schemaOf,
} from './documents-endpoint.ts';
import { MetadataFilterObject } from './filter-schema.ts';
import { MadeVectors } from './made-vectors.ts';
import { DocumentChanges, EmbedUsage, SetFields } from './schemas.ts';
import { hasFilter } from './selection.ts';

const KEYS = ['documents', 'filter', 'set_fields', 'remove_fields'] as const;

export const updateDocuments: DataEndpoint = {
  ...documentCall('update'),
  id: 'update_documents',
  summary: 'Update documents',
  description:
    'With documents: sets the given fields of each, and removes those that its `_remove_fields` names; other fields ' +
    'stay, and unknown ids change nothing. With a filter: sets and removes metadata of the first ' +
    `${UPDATE_BY_FILTER_RECORDS_MAX} matches, and leaves further ones as they are. Repeated, the same filter takes the ` +
    'same documents: for more, narrow it to those without the new value.',
  permission: 'data_plane::vectors::write',
  queue: 'write',
  aliasRefusal: 'document-write-to-alias',
  body: Type.Object(
    {
      documents: Type.Optional(DocumentChanges),
      filter: Type.Optional(MetadataFilterObject),
      set_fields: Type.Optional(SetFields),
      remove_fields: Type.Optional(Type.Array(Type.String(), { examples: [['minutes']] })),
    },
    {
      additionalProperties: false,
      examples: [{ documents: [{ _id: 'recipe-1', minutes: 75, _remove_fields: ['draft'] }] }],
    },
  ),
  success: {
    status: 202,
    description: 'Changed.',
    schema: Type.Object({
      matched_records: Type.Optional(
        Type.Integer({
          description: `With filter: how many match, up to ${UPDATE_BY_FILTER_RECORDS_MAX}.`,
          examples: [1],
        }),
      ),
      usage: EmbedUsage,
    }),
  },
  faults: ['document-write-to-alias', 'bad-filter', ...DOCUMENT_WRITE_FAULTS],
  handle: async (call) => {
    const { request, lists } = packedBody(call.body, KEYS);
    const { filtered, documents } = readUpdate(request);
    if (filtered !== null) return byFilter(call, filtered);
    const schema = schemaOf(call.index);
    return byId(call, documentList(documents, schema), new MadeVectors(lists, schema));
  },
};

/** The documents of a body; undefined for a filter. @throws as the endpoint for a body that is neither */
export function changedDocuments(body: Uint8Array): unknown {
  return readUpdate(documentBody(body, KEYS)).documents;
}

interface FilteredUpdate {
  readonly filter: unknown;
  readonly set: JsonObject;
  readonly removed: readonly string[];
}

/** An update by filter, or of documents. @throws invalid-argument unless the keys belong together */
function readUpdate(request: Readonly<Partial<Record<(typeof KEYS)[number], unknown>>>): {
  readonly filtered: FilteredUpdate | null;
  readonly documents: unknown;
} {
  const { documents, filter } = request;
  const set = setFields(request.set_fields);
  const removed = readRemovedFields(request.remove_fields, set);
  const isFiltered = hasFilter(filter);
  if ((documents === undefined) === !isFiltered) throw invalid('Give exactly one of documents and filter');
  const hasChange = Object.keys(set).length > 0 || removed.length > 0;
  if (isFiltered) {
    if (!hasChange) throw invalid('An update by filter needs set_fields or remove_fields');
    return { filtered: { filter, set, removed }, documents };
  }
  if (hasChange) throw invalid('set_fields and remove_fields are for updates by filter');
  return { filtered: null, documents };
}

async function byId(
  { namespaces, params, index, store }: DataCall<VectorWriter>,
  documents: readonly JsonObject[],
  made: MadeVectors,
): Promise<Reply> {
  const schema = schemaOf(index);
  const changes = documents.map((document) => {
    checkTextLengths(schema, document);
    return readDocumentChange(document, schema, made.take(document));
  });
  const lsn = await store.updateMany(documentNamespace(namespaces, params).stored, changes);
  const body = made.tokens === null ? {} : { usage: { embed_total_tokens: made.tokens } };
  return { ...writeReply(index, lsn, body), status: 202 };
}

async function byFilter(
  { namespaces, params, index, store }: DataCall<VectorWriter>,
  change: FilteredUpdate,
): Promise<Reply> {
  const schema = schemaOf(index);
  const setMetadata = metadataOf(change.set, schema);
  for (const name of change.removed) refuseSearchField(name, schema);
  const { lsn, matched } = await store.updateByFilter(documentNamespace(namespaces, params).stored, {
    filter: parseMetadataFilter(change.filter, schema),
    setMetadata,
    removeMetadata: change.removed,
    recordsMax: UPDATE_BY_FILTER_RECORDS_MAX,
  });
  return { ...writeReply(index, lsn, { matched_records: matched }), status: 202 };
}

/** @throws invalid-argument */
function setFields(json: unknown): JsonObject {
  if (json === undefined) return {};
  if (!isJsonObject(json)) throw invalid('set_fields must be an object');
  return json;
}

/** @throws invalid-argument for a field of the schema, and for a value that is no metadata */
function metadataOf(fields: JsonObject, schema: DocumentSchema): Metadata {
  const entries = Object.entries(fields).map(([name, value]) => {
    checkFieldName(name);
    refuseSearchField(name, schema);
    return [name, readMetadataField(name, value)] as const;
  });
  return Object.fromEntries(entries);
}

function refuseSearchField(name: string, { fields }: DocumentSchema): void {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined || field.kind === 'metadata') return;
  throw invalid(
    `Field '${fieldText(name)}' is a search field of the schema; an update by filter changes metadata only. Update its documents by id`,
  );
}
