// GET /namespaces: the namespaces in bytewise order of the names shown, page by page.

import type { NamespaceSummary, VectorReader } from '../../../app/records/record-access.ts';
import { indexIdOf } from '../../../domain/index-model.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, LIST_LIMIT_MIN } from '../../../domain/limits.ts';
import { checkPrefix, DEFAULT_NAMESPACE_SHOWN, namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { refusePods } from '../records/index-kinds.ts';
import { readPagingToken, writePagingToken } from '../records/paging-token.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { NamespaceObject, PageEnd, PagingToken } from '../records/schemas.ts';
import { namespaceObject } from './namespace-object.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: LIST_LIMIT_MAX };

export const listNamespaces: DataEndpoint = {
  id: 'list_namespaces',
  method: 'GET',
  path: '/namespaces',
  tag: 'Namespaces',
  summary: 'List namespaces',
  since: '2025-04',
  permission: 'data_plane::namespaces::read',
  errors: 'rpc',
  queue: 'read',
  query: Type.Object({
    prefix: Type.Optional(
      Type.String({ description: 'Only namespaces whose names start with this.', examples: ['fi'] }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: LIST_LIMIT_DEFAULT }),
    ),
    paginationToken: Type.Optional(PagingToken),
  }),
  success: {
    status: 200,
    description: 'A page of namespaces. total_count counts all that have the prefix.',
    schema: Type.Object({
      namespaces: Type.Array(NamespaceObject),
      pagination: PageEnd,
      total_count: Type.Integer({ examples: [1] }),
    }),
  },
  faults: ['invalid-argument', 'wrong-index-kind'],
  handle: async ({ query, index, store, version }) => {
    refusePods(index, 'Listing namespaces');
    const prefix = checkPrefix(queryString(query, 'prefix') ?? '');
    const limit = queryInteger(query, 'limit', LIMIT) ?? LIST_LIMIT_DEFAULT;
    const scope = ['namespaces', indexIdOf(index), prefix];
    const after = readPagingToken(queryString(query, 'paginationToken'), scope);
    const { items, next, total } = await listAsShown(store, { prefix, limit, after });
    const namespaces = items.map(async (item) =>
      namespaceObject(item, await store.indexedFields(item.name), version),
    );
    return {
      status: 200,
      body: {
        namespaces: await Promise.all(namespaces),
        ...(next === null ? {} : { pagination: { next: writePagingToken(next, scope) } }),
        total_count: total,
      },
    };
  },
};

interface Listing {
  readonly prefix: string;
  readonly limit: number;
  /** A shown name, exclusive. */
  readonly after: string | null;
}

/** Lists in the order of shown names. The store sorts the default namespace by its stored name, `''`. */
async function listAsShown(store: VectorReader, { prefix, limit, after }: Listing) {
  // Starting after '' leaves out the default namespace.
  const page = await store.listNamespaces({ prefix, limit, after: after ?? '' });
  const fallback = DEFAULT_NAMESPACE_SHOWN.startsWith(prefix) ? await store.describeNamespace('') : null;
  const total = page.total + (fallback !== null && prefix !== '' ? 1 : 0);
  if (fallback === null || (after !== null && after >= DEFAULT_NAMESPACE_SHOWN)) return { ...page, total };
  const merged = [...page.items, fallback].sort((a, b) => (shown(a) < shown(b) ? -1 : 1));
  const items = merged.slice(0, limit);
  const last = items.at(-1);
  const more = page.next !== null || merged.length > items.length;
  return { items, total, next: more && last !== undefined ? shown(last) : null };
}

function shown(summary: NamespaceSummary): string {
  return namespaceToShown(summary.name);
}
