// Pagination of imports and exports.
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import { LIST_LIMIT_DEFAULT, LIST_LIMIT_MAX, LIST_LIMIT_MIN } from '../../../domain/limits.ts';
import type { Reply } from '../../endpoint.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { queryInteger, queryString } from '../records/request-fields.ts';
import { PageEnd, PagingToken } from '../records/schemas.ts';
import type { BulkCall } from './bulk-endpoint.ts';

const LIMIT = { min: LIST_LIMIT_MIN, max: LIST_LIMIT_MAX };

export const BULK_PAGE_QUERY = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: LIMIT.min, maximum: LIMIT.max, default: LIST_LIMIT_DEFAULT })),
  paginationToken: Type.Optional(PagingToken),
});

export function bulkPage(item: TSchema) {
  return Type.Object({ data: Type.Array(item), pagination: PageEnd });
}

interface Listing<Row> {
  readonly operation: string;
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  readonly toWire: (row: Row) => unknown;
}

/** @throws invalid-argument */
export async function bulkPageReply<Row>(
  { index, query, services }: BulkCall,
  { operation, list, toWire }: Listing<Row>,
): Promise<Reply> {
  const limit = queryInteger(query, 'limit', LIMIT) ?? LIST_LIMIT_DEFAULT;
  const boundTo = JSON.stringify([operation, index.id]);
  const after = services.cursors.open(queryString(query, 'paginationToken'), boundTo);
  const { items, next } = await list({ limit, after });
  const pagination = next === null ? {} : { pagination: { next: services.cursors.seal(next, boundTo) } };
  return { status: 200, body: { data: items.map(toWire), ...pagination } };
}
