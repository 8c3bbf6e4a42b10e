// Pagination of control plane lists: the query, the envelope and the cursors.
import type { Page, PageQuery } from '../../../domain/administration/pages.ts';
import { isAtLeast, type RequestedVersion } from '../../../domain/api-version.ts';
import {
  BACKUP_PAGE_DEFAULT,
  BACKUP_PAGE_DEFAULT_OLDER,
  BACKUP_PAGE_MAX,
  BACKUP_PAGE_MIN,
} from '../../../domain/backups/limits.ts';
import { invalid } from '../../../domain/faults.ts';
import type { ControlCall, Reply } from '../../endpoint.ts';
import { type TSchema, Type } from '../../schema/type.ts';
import { pageEnvelope } from '../page-envelope.ts';
import { queryString } from '../records/request-fields.ts';

const TOKEN = 'eyJhZnRlciI6ImIxIn0';

export const PAGE_QUERY = {
  limit: Type.Optional(
    Type.Integer({
      minimum: BACKUP_PAGE_MIN,
      maximum: BACKUP_PAGE_MAX,
      description: `Default: ${BACKUP_PAGE_DEFAULT}; up to 2026-04 ${BACKUP_PAGE_DEFAULT_OLDER}.`,
      examples: [20],
    }),
  ),
  paginationToken: Type.Optional(
    Type.String({
      description: 'The `pagination.next` of the previous page: valid for an hour.',
      examples: [TOKEN],
    }),
  ),
};

export function pageOf<Item extends TSchema>(item: Item) {
  return pageEnvelope(item, TOKEN);
}

export interface Listing<Row> {
  /** The endpoint's id and what else decides which rows the list has: cursors of one list are of no use to another. */
  readonly boundTo: readonly string[];
  readonly list: (page: PageQuery) => Promise<Page<Row>>;
  readonly toWire: (row: Row) => unknown;
}

/** @throws invalid-argument */
export async function answerPage<Row>(
  { access, query, version, services }: ControlCall,
  { boundTo, list, toWire }: Listing<Row>,
): Promise<Reply> {
  const { cursors } = services;
  const limit = limitOf(queryString(query, 'limit'), version);
  const seal = JSON.stringify([...boundTo, access.projectId]);
  const after = cursors.open(queryString(query, 'paginationToken'), seal);
  const { items, next } = await list({ limit, after });
  const pagination = next === null ? null : { next: cursors.seal(next, seal) };
  return { status: 200, body: { data: items.map(toWire), pagination } };
}

function limitOf(text: string | undefined, version: RequestedVersion): number {
  if (text === undefined) {
    return isAtLeast(version, '2026-07') ? BACKUP_PAGE_DEFAULT : BACKUP_PAGE_DEFAULT_OLDER;
  }
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= BACKUP_PAGE_MIN && limit <= BACKUP_PAGE_MAX)) {
    throw invalid(`limit must be an integer from ${BACKUP_PAGE_MIN} to ${BACKUP_PAGE_MAX}.`);
  }
  return limit;
}
