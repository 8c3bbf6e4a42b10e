// POST /records/namespaces/{namespace}/browse: a page of records by filter and order, with counts of values.

import { type FieldOrder, placeOf } from '../../../app/records/order-by-field.ts';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import type { Filter } from '../../../domain/filter/grammar.ts';
import { type IndexProfile, indexIdOf } from '../../../domain/index-model.ts';
import { canonicalText } from '../../../domain/json.ts';
import {
  BROWSE_FIELDS_MAX,
  BROWSE_LIMIT_DEFAULT,
  BROWSE_LIMIT_MAX,
  BROWSE_PAGE_BYTES_MAX,
} from '../../../domain/limits.ts';
import { checkPrefix, namespaceToShown } from '../../../domain/records/record-id.ts';
import type { DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { documentBody } from '../documents/document-body.ts';
import { DocumentFilterObject } from '../documents/filter-schema.ts';
import { optionalText } from '../documents/optional-text.ts';
import { ServedNamespace } from '../documents/schemas.ts';
import { readPagingToken, writePagingToken } from '../records/paging-token.ts';
import { bytesOf } from '../records/parse-body.ts';
import { FacetCounts, FacetsBody, facetsToWire, readFacets } from '../records/read-facets.ts';
import { orderByBody, placeIn, placeText, readOrderBy } from '../records/read-order-by.ts';
import { checkInteger } from '../records/request-fields.ts';
import { PageEnd, PagingToken } from '../records/schemas.ts';
import { browseCall, readBrowseFilter } from './browse-call.ts';
import { positionIn, positionText } from './browse-position.ts';
import { BrowsedRecord, browsedText } from './browsed-record.ts';
import { cutToRange, type IdRange, IdRangeBody, readIdRange } from './id-range.ts';

/** Tokens of another form, as of builds before totals were in them, are refused. */
const TOKENS = 'browse_records 2';
const LIMIT = { min: 1, max: BROWSE_LIMIT_MAX };
const KEYS = ['filter', 'prefix', 'ids', 'order_by', 'limit', 'facets', 'pagination_token'] as const;
const EVERYTHING: Filter = { kind: 'all', parts: [] };

const OrderBy = orderByBody(
  'NumberOrder',
  'By the numbers of a metadata field, equal ones by id. Records without a number there are left out. By default ' +
    'records come in the order of their ids.',
);

export const browseRecords: DataEndpoint = {
  ...browseCall('browse'),
  id: 'browse_records',
  summary: 'Browse records',
  description:
    'A page of the records that match a filter, in the order of their ids or of a number, with how many match in all ' +
    'and the values that their fields have. For indexes of vectors and of documents. A page is shorter than limit ' +
    `where its records exceed ${BROWSE_PAGE_BYTES_MAX / 2 ** 20} MB. An extension of this server.`,
  body: Type.Object(
    {
      filter: Type.Optional(DocumentFilterObject),
      prefix: Type.Optional(
        Type.String({
          description: 'Only ids that start with this; without filter, order_by and facets.',
          examples: ['movie-'],
        }),
      ),
      ids: Type.Optional(IdRangeBody),
      order_by: Type.Optional(OrderBy),
      limit: Type.Optional(
        Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: BROWSE_LIMIT_DEFAULT }),
      ),
      facets: Type.Optional(FacetsBody),
      pagination_token: Type.Optional(PagingToken),
    },
    {
      additionalProperties: false,
      examples: [
        {
          filter: { genre: 'drama' },
          order_by: { field: 'year', direction: 'desc' },
          facets: [{ field: 'genre', limit: 5 }],
          limit: 50,
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The page.',
    schema: Type.Object({
      records: Type.Array(BrowsedRecord),
      total: Type.Optional(
        Type.Integer({
          description:
            'Records that match in all, as counted for the first page; absent with a prefix or ids.',
          examples: [1200],
        }),
      ),
      indexed_fields: Type.Array(Type.String(), {
        description: `Metadata fields that filters can use, in the order of their names; at most ${BROWSE_FIELDS_MAX}.`,
        examples: [['genre', 'year']],
      }),
      facets: Type.Optional(FacetCounts),
      pagination: PageEnd,
      namespace: ServedNamespace,
    }),
  },
  faults: ['invalid-argument', 'body-not-json', 'bad-filter', 'reads-paused'],
  handle: async ({ namespaces, body, params, index, store }) => {
    const { stored: namespace } = namespaces.read(params.namespace);
    const request = documentBody(bytesOf(body), KEYS);
    const filter = readBrowseFilter(request.filter, index);
    const order = readOrderBy(request.order_by, 'order_by', index.documents);
    const facets = readFacets(request.facets, index.documents);
    const prefix = checkPrefix(optionalText(request.prefix, 'prefix') ?? '');
    if (prefix !== '' && (filter !== null || order !== null || facets !== null)) {
      throw invalid('prefix goes without filter, order_by and facets');
    }
    const range = readIdRange(request.ids);
    const hasRange = range.after !== null || range.until !== null;
    if (hasRange && (prefix !== '' || order !== null || facets !== null)) {
      throw invalid('ids goes without prefix, order_by and facets');
    }
    const limit = checkInteger(request.limit ?? BROWSE_LIMIT_DEFAULT, 'limit', LIMIT);
    const scope = [
      TOKENS,
      ...[indexIdOf(index), namespace, prefix, canonicalText(request.filter ?? null), JSON.stringify(order)],
      ...(hasRange ? [JSON.stringify(range)] : []),
    ];
    const given = optionalText(request.pagination_token, 'pagination_token');
    const position = positionIn(readPagingToken(given, scope, 'pagination_token'));
    const token = position?.place ?? null;
    const page =
      prefix === ''
        ? await matchingPage(store, { namespace, filter, order, range, limit, token })
        : await prefixPage(store, { namespace, prefix, limit, token });
    const isCounted = prefix === '' && !hasRange;
    const total = isCounted
      ? (position?.total ?? (await countOf({ index, store }, namespace, filter)))
      : null;
    const rest = {
      ...(total !== null && { total }),
      indexed_fields: (await store.indexedFields(namespace)).slice(0, BROWSE_FIELDS_MAX),
      ...(facets !== null && {
        facets: facetsToWire(await store.countValues({ namespace, filter, among: null, fields: facets })),
      }),
      ...(page.next !== null && {
        pagination: {
          next: writePagingToken(positionText({ total, place: page.next }), scope),
        },
      }),
      namespace: namespaceToShown(namespace),
    };
    const records = page.records.map(browsedText).join(',');
    return { status: 200, jsonText: `{"records":[${records}],${JSON.stringify(rest).slice(1)}` };
  },
};

interface Page {
  readonly records: readonly StoredRecord[];
  /** The position that the next page starts after. */
  readonly next: string | null;
}

async function matchingPage(
  store: VectorReader,
  request: {
    readonly namespace: string;
    readonly filter: Filter | null;
    readonly order: FieldOrder | null;
    readonly range: IdRange;
    readonly limit: number;
    readonly token: string | null;
  },
): Promise<Page> {
  const { namespace, filter, order, range, limit, token } = request;
  const base = { namespace, filter: filter ?? EVERYTHING, limit, bytesMax: BROWSE_PAGE_BYTES_MAX };
  if (order === null) {
    const found = await store.fetchByFilter({ ...base, after: token ?? range.after });
    const { items, next } = cutToRange(found, range);
    return { records: items, next };
  }
  const after = placeIn(token);
  const { items, next } = await store.fetchByFilter({
    ...base,
    after: after?.id ?? null,
    order: { ...order, afterNumber: after?.number ?? null },
  });
  const last = items.at(-1);
  const isEnd = next === null || last === undefined;
  return { records: items, next: isEnd ? null : placeText(placeOf(order, last)) };
}

async function prefixPage(
  store: VectorReader,
  request: {
    readonly namespace: string;
    readonly prefix: string;
    readonly limit: number;
    readonly token: string | null;
  },
): Promise<Page> {
  const { namespace, prefix, limit, token } = request;
  const { items, next } = await store.listIds({ namespace, prefix, limit, after: token });
  const records = await store.fetch(namespace, items);
  let bytes = 0;
  const last = records.findIndex(({ metadataJson }) => {
    bytes += metadataJson?.length ?? 0;
    return bytes > BROWSE_PAGE_BYTES_MAX;
  });
  if (last === -1 || last === records.length - 1) return { records, next };
  return { records: records.slice(0, last + 1), next: records[last]?.id ?? null };
}

async function countOf(
  { index, store }: { readonly index: IndexProfile; readonly store: VectorReader },
  namespace: string,
  filter: Filter | null,
): Promise<number> {
  // What the namespace stores includes what has expired, which no page shows.
  if (filter !== null || index.timeToLive !== undefined) return store.count(namespace, filter ?? EVERYTHING);
  return (await store.describeNamespace(namespace))?.recordCount ?? 0;
}
