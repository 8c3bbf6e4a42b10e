// Documents of a migration: listed, fetched and upserted by the calls for documents. The target embeds texts itself.
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { DOCUMENTS_EMBEDDED_MAX, LIST_LIMIT_MAX } from '../../domain/limits.ts';
import { DOCUMENT_ID } from '../../domain/records/read-document.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { MigratedRecord, RecordKind } from './record-kind.ts';
import { sparseEntries, storedFloat } from './wire-record.ts';

/** The first version with document calls. */
export const DOCUMENTS_VERSION = '2026-07';

interface ListReply {
  readonly documents?: readonly { readonly _id: string }[];
  readonly pagination?: { readonly next?: string | null } | null;
}

interface FetchReply {
  readonly documents?: Readonly<Record<string, JsonObject>>;
}

export const documentKind: RecordKind = {
  // As many as an index with embeddings takes.
  upsertRecordsMax: DOCUMENTS_EMBEDDED_MAX,
  list: async (client, namespace, token) => {
    const body = { limit: LIST_LIMIT_MAX, ...(token === null ? {} : { pagination_token: token }) };
    const { documents = [], pagination } = await call<ListReply>(client, namespace, { name: 'list', body });
    return { ids: documents.map(({ _id }) => _id), next: pagination?.next || null };
  },
  fetch: async (client, namespace, ids) => {
    const body = { ids };
    const { documents = {} } = await call<FetchReply>(client, namespace, { name: 'fetch', body });
    return { records: Object.values(documents).map(documentRecord), unreadable: [] };
  },
  upsert: async (client, namespace, records) => {
    const body = { documents: records.map((record) => record.body) };
    await call(client, namespace, { name: 'upsert', body });
  },
};

function call<Reply extends object>(
  client: ApiClient,
  namespace: string,
  { name, body }: { readonly name: string; readonly body: object },
): Promise<Reply> {
  const path = `/namespaces/${encodeURIComponent(namespace)}/documents/${name}`;
  return client.call<Reply>('POST', path, { body, version: DOCUMENTS_VERSION });
}

/** A document as an upsert takes it. */
export function documentRecord(document: JsonObject): MigratedRecord {
  return {
    id: String(document[DOCUMENT_ID]),
    body: document,
    signature: JSON.stringify(comparable(document)),
  };
}

/** The document with its fields in order, and its vectors as they are stored. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => (typeof each === 'number' ? storedFloat(each) : each));
  if (!isJsonObject(value)) return value;
  const { indices, values } = value;
  if (Array.isArray(indices) && Array.isArray(values)) return sparseEntries({ indices, values });
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, comparable(each)]);
}
