// POST /namespaces/{namespace}/documents/list: the ids of a namespace in bytewise order, page by page.

import { indexIdOf } from '../../../domain/index-model.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, LIST_LIMIT_MIN } from '../../../domain/limits.ts';
import { checkPrefix, namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { readPagingToken, writePagingToken } from '../records/paging-token.ts';
import { bytesOf } from '../records/parse-body.ts';
import { checkInteger } from '../records/request-fields.ts';
import { PageEnd, PagingToken } from '../records/schemas.ts';
import { documentBody } from './document-body.ts';
import { documentCall, documentNamespace } from './documents-endpoint.ts';
import { optionalText, optionalToken } from './optional-text.ts';
import { DocumentId, ReadUsage, ServedNamespace } from './schemas.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: LIST_LIMIT_MAX };

export const listDocuments: DataEndpoint = {
  ...documentCall('list'),
  id: 'list_documents',
  summary: 'List document ids',
  permission: 'data_plane::vectors::read',
  queue: 'read',
  body: Type.Object(
    {
      prefix: Type.Optional(
        Type.String({
          description: 'Only ids that start with this; empty means all.',
          examples: ['recipe-'],
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: LIST_LIMIT_DEFAULT }),
      ),
      pagination_token: Type.Optional(PagingToken),
    },
    { additionalProperties: false, examples: [{ prefix: 'recipe-', limit: 10 }] },
  ),
  success: {
    status: 200,
    description: 'A page of ids.',
    schema: Type.Object({
      documents: Type.Array(Type.Object({ _id: DocumentId })),
      pagination: PageEnd,
      namespace: ServedNamespace,
      usage: ReadUsage,
    }),
  },
  faults: ['invalid-argument', 'body-not-json', 'wrong-index-kind', 'reads-paused'],
  handle: async ({ namespaces, body, params, index, store }) => {
    const request = documentBody(bytesOf(body), ['prefix', 'limit', 'pagination_token']);
    const namespace = documentNamespace(namespaces, params);
    const prefix = checkPrefix(optionalText(request.prefix, 'prefix') ?? '');
    const limit = checkInteger(request.limit ?? LIST_LIMIT_DEFAULT, 'limit', LIMIT);
    const scope = ['list_documents', indexIdOf(index), namespace.stored, prefix];
    const token = optionalToken(request.pagination_token);
    const after = readPagingToken(token, scope, 'pagination_token');
    const page = await store.listIds({ namespace: namespace.stored, prefix, limit, after });
    return {
      status: 200,
      body: {
        documents: page.items.map((_id) => ({ _id })),
        namespace: namespaceToShown(namespace.stored),
        usage: { read_units: 1 },
        ...(page.next !== null && { pagination: { next: writePagingToken(page.next, scope) } }),
      },
    };
  },
};
