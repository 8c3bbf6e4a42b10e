// GET /vectors/list: the ids of a namespace in bytewise order, page by page.
import { indexIdOf } from '../../../domain/index-model.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, LIST_LIMIT_MIN } from '../../../domain/limits.ts';
import { checkPrefix } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { refusePods } from './index-kinds.ts';
import { readPagingToken, writePagingToken } from './paging-token.ts';
import { queryInteger, queryString } from './request-fields.ts';
import { NamespaceEcho, NamespaceName, PageEnd, PagingToken, RecordId, Usage } from './schemas.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: LIST_LIMIT_MAX };

export const listVectors: DataEndpoint = {
  id: 'list_vectors',
  method: 'GET',
  path: '/vectors/list',
  tag: 'Vectors',
  summary: 'List vector ids',
  since: '2024-04',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  query: Type.Object({
    prefix: Type.Optional(
      Type.String({ description: 'Only ids that start with this; empty means all.', examples: ['movie-'] }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: LIST_LIMIT_DEFAULT }),
    ),
    paginationToken: Type.Optional(PagingToken),
    namespace: Type.Optional(NamespaceName),
  }),
  success: {
    status: 200,
    description: 'A page of ids.',
    schema: Type.Object({
      vectors: Type.Array(Type.Object({ id: RecordId })),
      namespace: NamespaceEcho,
      usage: Usage,
      pagination: PageEnd,
    }),
  },
  faults: ['invalid-argument', 'wrong-index-kind', 'reads-paused'],
  handle: async ({ namespaces, query, index, store }) => {
    refusePods(index, 'Listing ids');
    const namespace = namespaces.read(queryString(query, 'namespace'));
    const prefix = checkPrefix(queryString(query, 'prefix') ?? '');
    const limit = queryInteger(query, 'limit', LIMIT) ?? LIST_LIMIT_DEFAULT;
    const scope = ['list', indexIdOf(index), namespace.stored, prefix];
    const after = readPagingToken(queryString(query, 'paginationToken'), scope);
    const page = await store.listIds({ namespace: namespace.stored, prefix, limit, after });
    return {
      status: 200,
      body: {
        vectors: page.items.map((id) => ({ id })),
        namespace: namespace.echo,
        usage: { readUnits: 1 },
        ...(page.next === null ? {} : { pagination: { next: writePagingToken(page.next, scope) } }),
      },
    };
  },
};
