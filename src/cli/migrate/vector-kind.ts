// Vectors of a migration: listed, fetched and upserted by the calls for vectors.
import type { ApiClient } from '../client/api-client.ts';
import { CliProblem } from '../command.ts';
import type { IdPage, RecordKind } from './record-kind.ts';
import { signatureOf, upsertable, type WireRecord } from './wire-record.ts';

const PAGE_IDS = 100;
const UPSERT_RECORDS_MAX = 1_000;
/** With the metric dotproduct, other records may rank before the record itself. */
const SEARCHED_MATCHES = 100;

export const vectorKind: RecordKind = {
  upsertRecordsMax: UPSERT_RECORDS_MAX,
  list: listPage,
  fetch: async (client, namespace, ids) => {
    const records = await fetchRecords(client, namespace, ids);
    return records.map((record) => ({
      id: record.id,
      body: upsertable(record),
      signature: signatureOf(record),
    }));
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

/** The records that exist: the source may be written meanwhile. */
async function fetchRecords(
  client: ApiClient,
  namespace: string,
  ids: readonly string[],
): Promise<readonly WireRecord[]> {
  const spaced = ids.filter((id) => id.includes(' '));
  const plain = ids.filter((id) => !id.includes(' '));
  const found: WireRecord[] = [];
  if (plain.length > 0) {
    const query = new URLSearchParams([...plain.map((id) => ['ids', id]), ['namespace', namespace]]);
    const { vectors = {} } = await client.call<FetchReply>('GET', `/vectors/fetch?${query}`);
    found.push(...Object.values(vectors));
  }
  for (const id of spaced) found.push(await searchRecord(client, namespace, id));
  return found;
}

/** The API cannot fetch ids with spaces, but a query by such an id returns its record. @throws CliProblem */
async function searchRecord(client: ApiClient, namespace: string, id: string): Promise<WireRecord> {
  const body = { id, topK: SEARCHED_MATCHES, namespace, includeValues: true, includeMetadata: true };
  const { matches = [] } = await client.call<QueryReply>('POST', '/query', { body });
  const match = matches.find((each) => each.id === id);
  if (match === undefined) {
    throw new CliProblem(`Record '${id}' of namespace ${namespace} cannot be read: its id has a space.`);
  }
  return match;
}
