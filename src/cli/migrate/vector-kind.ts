// Vectors of a migration: listed, fetched and upserted by the calls for vectors.
import type { ApiClient } from '../client/api-client.ts';
import { mayBeTooLarge } from './fetch-in-parts.ts';
import type { IdPage, RecordKind } from './record-kind.ts';
import { signatureOf, upsertable, type WireRecord } from './wire-record.ts';

const PAGE_IDS = 100;
const UPSERT_RECORDS_MAX = 1_000;
/**
 * How many matches a search for a record asks for, one after the other: most records are the best match of their own
 * vector, but with the metric dotproduct others may rank before it, and many matches may be too large for an answer.
 */
const MATCHES_TRIED = [1, 10, 100, 1_000];

export const vectorKind: RecordKind = {
  upsertRecordsMax: UPSERT_RECORDS_MAX,
  list: listPage,
  fetch: async (client, namespace, ids) => {
    const { found, unreadable } = await fetchRecords(client, namespace, ids);
    const records = found.map((record) => ({
      id: record.id,
      body: upsertable(record),
      signature: signatureOf(record),
    }));
    return { records, unreadable };
  },
  upsert: async (client, namespace, records) => {
    const vectors = records.map(({ body }) => body);
    await client.call('POST', '/vectors/upsert', { body: { vectors, namespace } });
  },
};

interface ListReply {
  readonly vectors?: readonly { readonly id: string }[];
  readonly pagination?: { readonly next?: string | null } | null;
}

interface FetchReply {
  readonly vectors?: Readonly<Record<string, WireRecord>>;
}

interface QueryReply {
  readonly matches?: readonly WireRecord[];
}

async function listPage(source: ApiClient, namespace: string, token: string | null): Promise<IdPage> {
  const query = new URLSearchParams({ limit: String(PAGE_IDS), namespace });
  if (token !== null) query.set('paginationToken', token);
  const page = await source.call<ListReply>('GET', `/vectors/list?${query}`);
  const next = page.pagination?.next;
  return { ids: (page.vectors ?? []).map(({ id }) => id), next: next ? next : null };
}

async function fetchRecords(
  client: ApiClient,
  namespace: string,
  ids: readonly string[],
): Promise<{ readonly found: readonly WireRecord[]; readonly unreadable: readonly string[] }> {
  const spaced = ids.filter((id) => id.includes(' '));
  const plain = ids.filter((id) => !id.includes(' '));
  const found: WireRecord[] = [];
  const unreadable: string[] = [];
  if (plain.length > 0) {
    const query = new URLSearchParams([...plain.map((id) => ['ids', id]), ['namespace', namespace]]);
    const { vectors = {} } = await client.call<FetchReply>('GET', `/vectors/fetch?${query}`);
    found.push(...Object.values(vectors));
  }
  for (const id of spaced) {
    const record = await searchRecord(client, namespace, id);
    if (record === 'unreadable') unreadable.push(id);
    else if (record !== 'deleted') found.push(record);
  }
  return { found, unreadable };
}

/** The API cannot fetch ids with spaces, but a query by such an id finds the records near it. */
async function searchRecord(
  client: ApiClient,
  namespace: string,
  id: string,
): Promise<WireRecord | 'deleted' | 'unreadable'> {
  for (const topK of MATCHES_TRIED) {
    const body = { id, topK, namespace, includeValues: true, includeMetadata: true };
    const reply = await client.call<QueryReply>('POST', '/query', { body }).catch((error: unknown) => {
      if (mayBeTooLarge(error)) return null;
      throw error;
    });
    // More matches would be refused as well.
    if (reply === null) return 'unreadable';
    const { matches = [] } = reply;
    // A record that exists has at least itself as a match.
    if (matches.length === 0) return 'deleted';
    const match = matches.find((each) => each.id === id);
    if (match !== undefined) return match;
  }
  return 'unreadable';
}
