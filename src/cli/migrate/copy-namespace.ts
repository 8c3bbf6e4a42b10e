// Copies one namespace page by page: several pages are in progress at a time, the state is updated in order.
import { type ApiClient, Refusal } from '../api-client.ts';
import { CliProblem } from '../command.ts';
import type { MigrationState, NamespaceState } from './migration-state.ts';
import { upsertable, type WireRecord } from './wire-record.ts';

const PAGE_IDS = 100;
/** The API bounds requests to 2 MB. */
const UPSERT_BYTES_MAX = 1_900_000;
const UPSERT_RECORDS_MAX = 1_000;
/** With the metric dotproduct, other records may rank before the record itself. */
const SEARCHED_MATCHES = 100;
const HTTP_BAD_REQUEST = 400;

export interface Copying {
  readonly source: ApiClient;
  readonly target: ApiClient;
  readonly state: MigrationState;
  /** Pages in progress at a time. */
  readonly pagesMax: number;
  readonly onProgress: () => void;
}

interface Page {
  readonly ids: readonly string[];
  /** Null after the last page. */
  readonly next: string | null;
}

interface PageUnderWay {
  readonly page: Page;
  /** Records written. */
  readonly copied: Promise<number>;
}

export async function copyNamespace(copying: Copying, namespace: string): Promise<void> {
  const progress = copying.state.namespace(namespace);
  const underWay: PageUnderWay[] = [];
  try {
    for (let token = progress.token; !progress.isDone; ) {
      const page = await nextPage(copying, { namespace, token, progress });
      const copied = copyPage(copying, namespace, page.ids);
      // Awaited when its turn comes; until then a failure must not count as unhandled.
      copied.catch(() => undefined);
      underWay.push({ page, copied });
      token = page.next;
      while (underWay.length >= copying.pagesMax || (token === null && underWay.length > 0)) {
        await settleFirst(copying, { namespace, progress, underWay });
      }
    }
  } finally {
    await Promise.allSettled(underWay.map(({ copied }) => copied));
  }
}

/** Pages count in order, so nothing before the stored token is missing. */
async function settleFirst(
  { state, onProgress }: Copying,
  {
    namespace,
    progress,
    underWay,
  }: {
    readonly namespace: string;
    readonly progress: NamespaceState;
    readonly underWay: PageUnderWay[];
  },
): Promise<void> {
  const [first] = underWay;
  if (first === undefined) return;
  const records = await first.copied;
  underWay.shift();
  progress.records += records;
  progress.token = first.page.next;
  progress.isDone = first.page.next === null;
  state.note(namespace, first.page.ids);
  onProgress();
  await state.saveSometimes();
}

async function nextPage(
  { source }: Copying,
  {
    namespace,
    token,
    progress,
  }: {
    readonly namespace: string;
    readonly token: string | null;
    readonly progress: NamespaceState;
  },
): Promise<Page> {
  try {
    return await listPage(source, namespace, token);
  } catch (error) {
    const isOldToken = error instanceof Refusal && error.status === HTTP_BAD_REQUEST && token !== null;
    if (!isOldToken || token !== progress.token) throw error;
    // The token of an earlier run may have expired: then everything is copied again.
    progress.records = 0;
    progress.token = null;
    return listPage(source, namespace, null);
  }
}

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

async function listPage(source: ApiClient, namespace: string, token: string | null): Promise<Page> {
  const query = new URLSearchParams({ limit: String(PAGE_IDS), namespace });
  if (token !== null) query.set('paginationToken', token);
  const page = await source.call<ListReply>('GET', `/vectors/list?${query}`);
  const next = page.pagination?.next;
  return { ids: (page.vectors ?? []).map(({ id }) => id), next: next ? next : null };
}

async function copyPage(
  { source, target }: Copying,
  namespace: string,
  ids: readonly string[],
): Promise<number> {
  const records = await fetchRecords(source, namespace, ids);
  for (const vectors of inRequests(records.map(upsertable))) {
    await target.call('POST', '/vectors/upsert', { body: { vectors, namespace } });
  }
  return records.length;
}

/** The records that exist: the source may be written meanwhile. */
export async function fetchRecords(
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

function* inRequests(records: readonly WireRecord[]): Generator<readonly WireRecord[]> {
  let part: WireRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (part.length > 0 && (bytes + size > UPSERT_BYTES_MAX || part.length === UPSERT_RECORDS_MAX)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
