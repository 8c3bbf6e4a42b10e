// GET /namespace-aliases: the aliases of an index in bytewise order of their names, page by page.
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, LIST_LIMIT_MIN } from '../../../domain/limits.ts';
import { Type } from '../../schema/type.ts';
import { PageEnd, PagingToken } from '../records/schemas.ts';
import {
  ALIAS_ENDPOINT,
  type AliasEndpoint,
  AliasObject,
  aliasBodyOf,
  requireAliasVersion,
} from './alias-endpoint.ts';
import { aliasPageToken, readAliasPage } from './alias-list-query.ts';

export const listNamespaceAliases: AliasEndpoint = {
  ...ALIAS_ENDPOINT,
  id: 'list_namespace_aliases',
  method: 'GET',
  path: '/namespace-aliases',
  summary: 'List namespace aliases',
  permission: 'data_plane::namespaces::read',
  query: Type.Object({
    prefix: Type.Optional(
      Type.String({ description: 'Only aliases whose names start with this.', examples: ['films'] }),
    ),
    target_namespace: Type.Optional(
      Type.String({ description: 'Only aliases of this namespace.', examples: ['films'] }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: LIST_LIMIT_MIN, maximum: LIST_LIMIT_MAX, default: LIST_LIMIT_DEFAULT }),
    ),
    paginationToken: Type.Optional(PagingToken),
  }),
  success: {
    status: 200,
    description: 'A page of aliases. total_count counts all that match.',
    schema: Type.Object({
      namespace_aliases: Type.Array(AliasObject),
      pagination: PageEnd,
      total_count: Type.Integer({ examples: [1] }),
    }),
  },
  faults: [
    'invalid-argument',
    'alias-list-limit',
    'alias-list-token',
    'alias-list-token-new-prefix',
    'alias-list-token-new-target',
    'alias-list-target-empty',
    'alias-list-prefix-too-long',
    'alias-list-prefix-not-ascii',
    'alias-list-prefix-nul',
    'target-namespace-too-long',
    'target-namespace-invalid',
    'alias-version-too-old',
  ],
  handle: async ({ version, query, index, services }) => {
    requireAliasVersion(version);
    const page = readAliasPage(query, index.id);
    const { items, next, total } = services.aliases.list(index.id, page);
    return {
      status: 200,
      body: {
        namespace_aliases: items.map(aliasBodyOf),
        ...(next === null ? {} : { pagination: { next: aliasPageToken(next, page, index.id) } }),
        total_count: total,
      },
    };
  },
};
