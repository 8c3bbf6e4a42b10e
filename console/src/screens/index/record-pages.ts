// Reads records and documents as people look at them: pages, value counts, and one record with its neighbors.
import { callIndex } from '../../api/call.ts';
import { Problem } from '../../api/problem.ts';
import type { BrowsedPage, FacetCounts, Neighborhood } from '../../api/types.ts';

export const PAGE_RECORDS = 100;
const FACET_VALUES = 8;
const NEIGHBORS = 8;
const NOT_FOUND = 404;

/** Which records to show; the same in the address of the page. */
export interface Shown {
  readonly namespace: string;
  /** JSON text; empty for none. */
  readonly filter: string;
  readonly prefix: string;
  /** `asc field` or `desc field`; empty for the order of ids. */
  readonly order: string;
  /** The moment to read at, as the server's header for it takes it; empty for now. */
  readonly asOf: string;
}

/** The namespace that has no name. */
const DEFAULT = '__default__';

/** What the address of a page says. */
export function shownIn(values: Readonly<Record<string, string>>): Shown {
  const { ns: namespace = DEFAULT, filter = '', prefix = '', order = '', as_of: asOf = '' } = values;
  return { namespace, filter, prefix, order, asOf };
}

/** The order by the numbers of a field, which leaves out records without one; undefined for the order of ids. */
export function orderIn({ order }: Pick<Shown, 'order'>) {
  const [, direction, field] = /^(asc|desc) (.*)$/s.exec(order) ?? [];
  return field === undefined ? undefined : { field, direction };
}

/** Names the pages of an index. */
export function scopeOf(index: string, shown: Shown): string {
  return JSON.stringify([index, shown]);
}

export function pageKey(index: string, shown: Shown, token: string | undefined): string {
  return `page ${scopeOf(index, shown)} ${token}`;
}

/** @param token undefined for the first page */
export async function readPage(
  index: string,
  { namespace, filter, prefix, order, asOf }: Shown,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<BrowsedPage> {
  const orderBy = orderIn({ order });
  const body = {
    limit: PAGE_RECORDS,
    ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
    ...(prefix === '' ? {} : { prefix }),
    ...(orderBy && { order_by: orderBy }),
    ...(token === undefined ? {} : { pagination_token: token }),
  };
  const headers = headersOf(asOf);
  const path = pathOf(namespace, 'browse');
  return (await callIndex<BrowsedPage>(index, 'POST', path, { body, headers, ...(signal && { signal }) }))
    .body;
}

/** The most frequent values of a field among the records that a filter selects. */
export async function readFacet(
  index: string,
  { namespace, filter, asOf }: Omit<Shown, 'prefix' | 'order'>,
  field: string,
  signal: AbortSignal,
): Promise<FacetCounts> {
  const body = {
    limit: 1,
    ...(filter === '' ? {} : { filter: JSON.parse(filter) }),
    facets: [{ field, limit: FACET_VALUES }],
  };
  const path = pathOf(namespace, 'browse');
  const headers = headersOf(asOf);
  const { body: page } = await callIndex<BrowsedPage>(index, 'POST', path, { body, headers, signal });
  return page.facets?.[0] ?? { field, values: [], distinct: 0, exact: true };
}

/** Reads a whole record and its neighbors; null when there is none. */
export async function readRecord(
  index: string,
  { namespace, asOf }: Pick<Shown, 'namespace' | 'asOf'>,
  id: string,
  signal: AbortSignal,
): Promise<Neighborhood | null> {
  try {
    const body = { id, limit: NEIGHBORS };
    const path = pathOf(namespace, 'neighbors');
    const headers = headersOf(asOf);
    return (await callIndex<Neighborhood>(index, 'POST', path, { body, headers, signal })).body;
  } catch (error) {
    if (error instanceof Problem && error.status === NOT_FOUND) return null;
    throw error;
  }
}

function headersOf(asOf: string): Readonly<Record<string, string>> {
  return asOf === '' ? {} : { 'x-pinyon-as-of': asOf };
}

function pathOf(namespace: string, name: string): string {
  return `records/namespaces/${encodeURIComponent(namespace)}/${name}`;
}
