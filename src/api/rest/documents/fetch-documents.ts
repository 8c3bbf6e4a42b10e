// POST /namespaces/{namespace}/documents/fetch: whole documents by id, or page by page by a filter.

import { Buffer } from 'node:buffer';
import type { FieldOrder } from '../../../app/records/order-by-field.ts';
import { fetchUnits } from '../../../app/records/read-units.ts';
import type { StoredRecord, VectorReader } from '../../../app/records/record-access.ts';
import { invalid } from '../../../domain/faults.ts';
import { parseDocumentFilter } from '../../../domain/filter/document-filter.ts';
import { indexIdOf } from '../../../domain/index-model.ts';
import { canonicalText } from '../../../domain/json.ts';
import {
  FETCH_BY_METADATA_LIMIT_DEFAULT,
  FETCH_BY_METADATA_LIMIT_MAX,
  FETCH_BYTES_MAX,
  FETCH_IDS_MAX,
  LIST_LIMIT_MIN,
  RESPONSE_BYTES_MAX,
} from '../../../domain/limits.ts';
import { AnswerText } from '../../../domain/records/answer-text.ts';
import { documentText, type ShownFields } from '../../../domain/records/document-text.ts';
import type { DataCall, DataEndpoint } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { addRecords } from '../records/bounded-records.ts';
import { readPagingToken, writePagingToken } from '../records/paging-token.ts';
import { bytesOf } from '../records/parse-body.ts';
import { filteredPage, RecordOrder, readOrderBy } from '../records/read-order-by.ts';
import { fitRecords } from '../records/records-answer.ts';
import { checkInteger } from '../records/request-fields.ts';
import { PageEnd, PagingToken } from '../records/schemas.ts';
import { documentBody } from './document-body.ts';
import { documentCall, documentNamespace, schemaOf } from './documents-endpoint.ts';
import { DocumentFilterObject } from './filter-schema.ts';
import { readIncludeFields } from './include-fields.ts';
import { optionalToken } from './optional-text.ts';
import { DocumentId, DocumentOutput, IncludeFields, ReadUsage, ServedNamespace } from './schemas.ts';
import { hasFilter, readIds } from './selection.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: FETCH_BY_METADATA_LIMIT_MAX };
const KEYS = ['ids', 'filter', 'include_fields', 'limit', 'order_by', 'pagination_token'] as const;

export const fetchDocuments: DataEndpoint = {
  ...documentCall('fetch'),
  id: 'fetch_documents',
  summary: 'Fetch documents',
  description:
    'Give exactly one of ids and filter. Unknown ids are left out. With a filter, documents come in the order of their ' +
    'ids, page by page; a page is shorter than limit where the response would become too large. A fetch by ids is whole.',
  permission: 'data_plane::vectors::read',
  queue: 'read',
  body: Type.Object(
    {
      ids: Type.Optional(Type.Array(DocumentId, { minItems: 1, maxItems: FETCH_IDS_MAX })),
      filter: Type.Optional(DocumentFilterObject),
      include_fields: Type.Optional(IncludeFields('every stored field')),
      limit: Type.Optional(
        Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: FETCH_BY_METADATA_LIMIT_DEFAULT }),
      ),
      order_by: Type.Optional(RecordOrder),
      pagination_token: Type.Optional(PagingToken),
    },
    { additionalProperties: false, examples: [{ ids: ['recipe-1'] }] },
  ),
  success: {
    status: 200,
    description: 'The documents by their ids.',
    schema: Type.Object({
      documents: Type.Record(Type.String(), DocumentOutput),
      ordered_ids: Type.Optional(
        Type.Array(DocumentId, { description: 'With order_by: the ids of the page in their order.' }),
      ),
      pagination: PageEnd,
      namespace: ServedNamespace,
      usage: ReadUsage,
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'bad-filter',
    'fetch-too-big',
    'wrong-index-kind',
    'reads-paused',
  ],
  handle: async (call) => {
    const { namespaces, body, params, index } = call;
    const schema = schemaOf(index);
    const request = documentBody(bytesOf(body), KEYS);
    const namespace = documentNamespace(namespaces, params);
    const ids = readIds(request.ids, FETCH_IDS_MAX);
    if ((ids === undefined) === !hasFilter(request.filter)) {
      throw invalid(
        ids === undefined
          ? "No 'ids' or 'filter' provided in the document fetch request. Give exactly one of them"
          : 'Give exactly one of ids and filter',
      );
    }
    const shown = readIncludeFields(request.include_fields, schema, null);
    const limit = checkInteger(request.limit ?? FETCH_BY_METADATA_LIMIT_DEFAULT, 'limit', LIMIT);
    const token = optionalToken(request.pagination_token);
    if (ids !== undefined && token !== undefined) throw invalid('pagination_token is for fetches by filter');
    const order = readOrderBy(request.order_by, 'order_by', schema);
    if (ids !== undefined && order !== null) throw invalid('order_by is for fetches by filter');
    const write = (record: StoredRecord) =>
      `${JSON.stringify(record.id)}:${documentText(record, schema, shown)}`;
    // Pages have a bound of their own.
    const bytesMax = Math.min(FETCH_BYTES_MAX, call.answerBytesMax ?? FETCH_BYTES_MAX);
    const text = ids === undefined ? new AnswerText() : new AnswerText(bytesMax);
    text.add('{"documents":{');
    const start = text.bytes;
    const { count, next, listed } =
      ids !== undefined
        ? await addByIds(text, call.store, { namespace: namespace.stored, ids, write })
        : await addByFilter(text, call, {
            ...{ namespace: namespace.stored, filter: request.filter, shown, limit, order, token, write },
          });
    const usage = { read_units: fetchUnits(count), egress_bytes: text.bytes - start };
    const ordered = order === null ? '' : `,"ordered_ids":${JSON.stringify(listed)}`;
    const pagination = next === null ? '' : `,"pagination":{"next":"${next}"}`;
    text.add(
      `}${ordered}${pagination},"namespace":${JSON.stringify(namespace.echo)},"usage":${JSON.stringify(usage)}}`,
    );
    return { status: 200, written: text };
  },
};

interface Added {
  readonly count: number;
  readonly next: string | null;
  /** Ids in the order of the page; empty for fetches by ids. */
  readonly listed: readonly string[];
}

type Writer = (record: StoredRecord) => string;

async function addByIds(
  text: AnswerText,
  store: VectorReader,
  {
    namespace,
    ids,
    write,
  }: { readonly namespace: string; readonly ids: readonly string[]; readonly write: Writer },
): Promise<Added> {
  const items = [...new Set(ids)].map((id) => ({ id }));
  const count = await addRecords(text, { store, namespace }, { items, write: (_, record) => write(record) });
  return { count, next: null, listed: [] };
}

async function addByFilter(
  text: AnswerText,
  { index, store }: DataCall<VectorReader>,
  request: {
    readonly namespace: string;
    readonly filter: unknown;
    readonly shown: ShownFields;
    readonly limit: number;
    readonly order: FieldOrder | null;
    readonly token: string | undefined;
    readonly write: Writer;
  },
): Promise<Added> {
  const { namespace, filter, shown, limit, order, token, write } = request;
  const fields = shown === null ? '*' : [...shown].sort().join(' ');
  const scope = [
    ...['fetch_documents', indexIdOf(index), namespace, canonicalText(filter), fields],
    ...(order === null ? [] : [JSON.stringify(order)]),
  ];
  const { items, next, positionOf } = await filteredPage(store, {
    namespace,
    filter: parseDocumentFilter(filter, schemaOf(index)),
    limit,
    order,
    position: readPagingToken(token, scope, 'pagination_token'),
    bytesMax: RESPONSE_BYTES_MAX,
  });
  const page = { next, tokenAfter: (id: string) => writePagingToken(positionOf(id), scope) };
  const fitted = fitRecords({ fetched: items, namespace, page }, { write, sizeOf: sizeWithComma });
  text.add(fitted.pieces.join(','));
  const count = fitted.pieces.length;
  return { count, next: fitted.next, listed: items.slice(0, count).map(({ id }) => id) };
}

function sizeWithComma(text: string): number {
  return Buffer.byteLength(text) + 1;
}
