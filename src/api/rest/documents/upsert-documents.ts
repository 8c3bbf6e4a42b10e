// POST /namespaces/{namespace}/documents/upsert: inserts or replaces whole documents, all or none.
import { checkDocument } from '../../../domain/records/document-rules.ts';
import { readDocument } from '../../../domain/records/read-document.ts';
import { checkTextLengths } from '../../../domain/records/text-lengths.ts';
import type { DataEndpoint } from '../../endpoint.ts';
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
import { MadeVectors } from './made-vectors.ts';
import { Documents, EmbedUsage } from './schemas.ts';

const KEYS = ['documents'] as const;

export const upsertDocuments: DataEndpoint = {
  ...documentCall('upsert'),
  id: 'upsert_documents',
  summary: 'Upsert documents',
  description:
    'Inserts documents, or replaces stored ones whole. Stores all or none, and creates the namespace. Every document has ' +
    'the dense_vector field and the embedded text of the schema, and at least one searchable field.',
  permission: 'data_plane::vectors::write',
  queue: 'write',
  aliasRefusal: 'name-in-use-by-alias',
  body: Type.Object({ documents: Documents }, { additionalProperties: false }),
  success: {
    status: 202,
    description: 'Stored, and visible to every later read.',
    schema: Type.Object({ upserted_count: Type.Integer({ examples: [1] }), usage: EmbedUsage }),
  },
  faults: ['name-in-use-by-alias', ...DOCUMENT_WRITE_FAULTS],
  handle: async ({ namespaces, body, params, index, store }) => {
    const schema = schemaOf(index);
    const { request, lists } = packedBody(body, KEYS);
    const namespace = documentNamespace(namespaces, params);
    const made = new MadeVectors(lists, schema);
    const records = documentList(request.documents, schema).map((document) => {
      const record = readDocument(document, schema, made.take(document));
      checkDocument(schema, record, index.timeToLive?.field);
      checkTextLengths(schema, document);
      return record;
    });
    const lsn = await store.upsert(namespace.stored, records);
    const usage = made.tokens === null ? {} : { usage: { embed_total_tokens: made.tokens } };
    return { ...writeReply(index, lsn, { upserted_count: records.length, ...usage }), status: 202 };
  },
};

/** The documents of a body. @throws as the endpoint for another key */
export function upsertedDocuments(body: Uint8Array): unknown {
  return documentBody(body, KEYS).documents;
}
