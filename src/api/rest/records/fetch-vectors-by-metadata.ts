// POST /vectors/fetch_by_metadata: whole records that match a filter, page by page.

import { invalid } from '../../../domain/faults.ts';
import { parseRequiredFilter } from '../../../domain/filter/parse-filter.ts';
import { indexIdOf } from '../../../domain/index-model.ts';
import { canonicalText } from '../../../domain/json.ts';
import {
  FETCH_BY_METADATA_LIMIT_DEFAULT,
  FETCH_BY_METADATA_LIMIT_MAX,
  LIST_LIMIT_MIN,
  RESPONSE_BYTES_MAX,
} from '../../../domain/limits.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { FilterObject } from './filter-schema.ts';
import { refusePods } from './index-kinds.ts';
import { readPagingToken, writePagingToken } from './paging-token.ts';
import { parseBody } from './parse-body.ts';
import { filteredPage, RecordOrder, readOrderBy } from './read-order-by.ts';
import { checkInteger, field, optionalString } from './request-fields.ts';
import {
  NamespaceEcho,
  NamespaceName,
  PageEnd,
  PagingToken,
  RecordId,
  RecordsById,
  Usage,
} from './schemas.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: FETCH_BY_METADATA_LIMIT_MAX };
const MEBIBYTE = 2 ** 20;

export const fetchVectorsByMetadata: DataEndpoint = {
  id: 'fetch_vectors_by_metadata',
  method: 'POST',
  path: '/vectors/fetch_by_metadata',
  tag: 'Vectors',
  summary: 'Fetch vectors by metadata',
  description: `In id order. A page has fewer records than limit where the response would exceed ${RESPONSE_BYTES_MAX / MEBIBYTE} MB.`,
  since: '2025-10',
  indexKind: 'vectors',
  permission: 'data_plane::vectors::read',
  errors: 'both',
  queue: 'read',
  body: Type.Object(
    {
      filter: FilterObject,
      namespace: Type.Optional(NamespaceName),
      limit: Type.Optional(
        Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: FETCH_BY_METADATA_LIMIT_DEFAULT }),
      ),
      paginationToken: Type.Optional(PagingToken),
      orderBy: Type.Optional(RecordOrder),
    },
    { examples: [{ namespace: 'films', filter: { genre: 'drama' }, limit: 50 }] },
  ),
  success: {
    status: 200,
    description: 'The records of the page, by id.',
    schema: Type.Object({
      vectors: RecordsById,
      namespace: NamespaceEcho,
      usage: Usage,
      pagination: PageEnd,
      orderedIds: Type.Optional(
        Type.Array(RecordId, { description: 'With orderBy: the ids of the page in their order.' }),
      ),
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'request-too-big',
    'bad-filter',
    'wrong-index-kind',
    'reads-paused',
  ],
  handle: async ({ namespaces, body, index, store }) => {
    refusePods(index, 'Fetch by metadata');
    const request = parseBody(body);
    const namespace = namespaces.read(request.namespace);
    const filter = field(request, 'filter');
    if (filter === undefined) throw invalid('filter is required');
    const limit = checkInteger(field(request, 'limit') ?? FETCH_BY_METADATA_LIMIT_DEFAULT, 'limit', LIMIT);
    const order = readOrderBy(field(request, 'orderBy'), 'orderBy', null);
    const scope = [
      ...['fetch_by_metadata', indexIdOf(index), namespace.stored, canonicalText(filter)],
      ...(order === null ? [] : [JSON.stringify(order)]),
    ];
    const page = await filteredPage(store, {
      namespace: namespace.stored,
      filter: parseRequiredFilter(filter),
      limit,
      order,
      position: readPagingToken(optionalString(request, 'paginationToken'), scope),
      bytesMax: RESPONSE_BYTES_MAX,
    });
    const tokenAfter = (id: string) => writePagingToken(page.positionOf(id), scope);
    return {
      status: 200,
      records: {
        fetched: page.items,
        namespace: namespace.echo,
        page: { next: page.next, tokenAfter, listsIds: order !== null },
      },
    };
  },
};
