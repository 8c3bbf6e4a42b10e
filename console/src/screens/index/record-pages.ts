// Reads the records of a namespace page by page: all of them in the order of their ids, or those of a filter.
import { callIndex } from '../../api/call.ts';
import type { IdPage, RecordsById, VectorRecord } from '../../api/types.ts';

export const PAGE_RECORDS = 100;
const NEIGHBORS = 100;

export interface PageRequest {
  readonly index: string;
  readonly namespace: string;
  readonly prefix: string;
  /** JSON text; empty for none. */
  readonly filter: string;
  /** Empty for the first page. */
  readonly token: string;
}

export interface RecordPage {
  readonly records: readonly VectorRecord[];
  /** Null on the last page. */
  readonly next: string | null;
}

export function readPage(request: PageRequest, signal: AbortSignal): Promise<RecordPage> {
  return request.filter === '' ? readListed(request, signal) : readFiltered(request, signal);
}

async function readListed(
  { index, namespace, prefix, token }: PageRequest,
  signal: AbortSignal,
): Promise<RecordPage> {
  const query = {
    namespace,
    limit: String(PAGE_RECORDS),
    ...(prefix === '' ? {} : { prefix }),
    ...(token === '' ? {} : { paginationToken: token }),
  };
  const { body: page } = await callIndex<IdPage>(index, 'GET', 'vectors/list', { query, signal });
  const ids = page.vectors.map(({ id }) => id);
  const next = page.pagination?.next ?? null;
  // Ids with spaces cannot be fetched together with others.
  const fetchable = ids.filter((id) => !id.includes(' '));
  if (fetchable.length === 0) return { records: ids.map((id) => ({ id })), next };
  const { body: fetched } = await callIndex<RecordsById>(index, 'GET', 'vectors/fetch', {
    query: { namespace, ids: fetchable, without_values: 'true' },
    signal,
  });
  return { records: ids.map((id) => fetched.vectors[id] ?? { id }), next };
}

async function readFiltered(
  { index, namespace, filter, token }: PageRequest,
  signal: AbortSignal,
): Promise<RecordPage> {
  const { body: page } = await callIndex<RecordsById>(index, 'POST', 'vectors/fetch_by_metadata', {
    body: {
      namespace,
      filter: JSON.parse(filter),
      limit: PAGE_RECORDS,
      ...(token === '' ? {} : { paginationToken: token }),
    },
    signal,
  });
  return { records: Object.values(page.vectors), next: page.pagination?.next ?? null };
}

/** Reads a whole record; null when there is none. */
export async function readRecord(
  index: string,
  namespace: string,
  id: string,
  signal: AbortSignal,
): Promise<VectorRecord | null> {
  if (id.includes(' ')) return findRecord(index, namespace, id, signal);
  const { body } = await callIndex<RecordsById>(index, 'GET', 'vectors/fetch', {
    query: { namespace, ids: [id] },
    signal,
  });
  return body.vectors[id] ?? null;
}

interface QueryAnswer {
  readonly matches: readonly VectorRecord[];
}

/** A fetch takes no ids with spaces. Among its nearest neighbors a record finds itself. */
async function findRecord(
  index: string,
  namespace: string,
  id: string,
  signal: AbortSignal,
): Promise<VectorRecord | null> {
  const { body } = await callIndex<QueryAnswer>(index, 'POST', 'query', {
    body: { namespace, id, topK: NEIGHBORS, includeValues: true, includeMetadata: true },
    signal,
  });
  return body.matches.find((each) => each.id === id) ?? null;
}
