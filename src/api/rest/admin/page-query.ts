// Pagination of lists: the query, the envelope, and the cursor that links one page to the next.
import { ADMIN_PAGE_DEFAULT, ADMIN_PAGE_MAX, ADMIN_PAGE_MIN } from '../../../domain/administration/limits.ts';
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import { fault, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { pageEnvelope } from '../page-envelope.ts';
import { queryString } from '../records/request-fields.ts';
import type { AdminCall } from './admin-endpoint.ts';

const TOKEN = 'eyJhZnRlciI6InUxIn0';

export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({ minimum: ADMIN_PAGE_MIN, maximum: ADMIN_PAGE_MAX, default: ADMIN_PAGE_DEFAULT }),
  ),
  paginationToken: Type.Optional(
    Type.String({
      description:
        'The `pagination.next` of the previous page: valid for at least an hour, with the same limit and filters.',
      examples: [TOKEN],
    }),
  ),
};

export function pageOf<Item extends TSchema>(item: Item) {
  return pageEnvelope(item, TOKEN);
}

export interface Listing<Row> {
  /** The endpoint's id: a cursor is valid for one list only. */
  readonly operation: string;
  /** Every parameter that decides which rows the list has. */
  readonly filters: readonly (string | undefined)[];
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  readonly toWire: (row: Row) => unknown;
}

/** @throws invalid-argument, limit-out-of-range */
export async function answerPage<Row>(
  { access, query, services }: Pick<AdminCall, 'access' | 'query' | 'services'>,
  { operation, filters, list, toWire }: Listing<Row>,
): Promise<Reply> {
  const limit = limitOf(queryString(query, 'limit'));
  const boundTo = JSON.stringify([
    operation,
    access.organizationId,
    limit,
    ...filters.map((one) => one ?? null),
  ]);
  const after = services.cursors.open(queryString(query, 'paginationToken'), boundTo);
  const { items, next } = await list({ limit, after });
  const pagination = next === null ? null : { next: services.cursors.seal(next, boundTo) };
  return { status: 200, body: { data: items.map(toWire), pagination } };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return ADMIN_PAGE_DEFAULT;
  if (!/^-?\d+$/.test(text)) throw invalid('limit must be an integer');
  const limit = Number(text);
  if (limit < ADMIN_PAGE_MIN || limit > ADMIN_PAGE_MAX) {
    throw fault('limit-out-of-range', { min: ADMIN_PAGE_MIN, max: ADMIN_PAGE_MAX });
  }
  return limit;
}
