// Copies one namespace page by page: several pages are in progress at a time, the state is updated in order.
import { type ApiClient, Refusal } from '../client/api-client.ts';
import { fetchInParts } from './fetch-in-parts.ts';
import type { MigrationState, NamespaceState } from './migration-state.ts';
import type { Fetched, IdPage, MigratedRecord, RecordKind } from './record-kind.ts';

/** The API bounds requests to 2 MB. */
const UPSERT_BYTES_MAX = 1_900_000;
const HTTP_BAD_REQUEST = 400;

export interface Copying {
  readonly source: ApiClient;
  readonly target: ApiClient;
  readonly kind: RecordKind;
  readonly state: MigrationState;
  /** Pages in progress at a time. */
  readonly pagesMax: number;
  readonly onProgress: () => void;
}

interface PageUnderWay {
  readonly page: IdPage;
  /** Resolves once the records that were read are written. */
  readonly copied: Promise<Fetched>;
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
  const { records, unreadable } = await first.copied;
  underWay.shift();
  progress.records += records.length;
  if (unreadable.length > 0) progress.unreadable = [...(progress.unreadable ?? []), ...unreadable];
  progress.token = first.page.next;
  progress.isDone = first.page.next === null;
  state.note(namespace, first.page.ids);
  onProgress();
  await state.saveSometimes();
}

async function nextPage(
  { source, kind }: Copying,
  {
    namespace,
    token,
    progress,
  }: {
    readonly namespace: string;
    readonly token: string | null;
    readonly progress: NamespaceState;
  },
): Promise<IdPage> {
  try {
    return await kind.list(source, namespace, token);
  } catch (error) {
    const isOldToken = error instanceof Refusal && error.status === HTTP_BAD_REQUEST && token !== null;
    if (!isOldToken || token !== progress.token) throw error;
    // The token of an earlier run may have expired: then everything is copied again.
    progress.records = 0;
    delete progress.unreadable;
    progress.token = null;
    return kind.list(source, namespace, null);
  }
}

async function copyPage(
  { source, target, kind }: Copying,
  namespace: string,
  ids: readonly string[],
): Promise<Fetched> {
  const fetched = await fetchInParts(kind, source, { namespace, ids });
  await upsertInRequests(target, kind, { namespace, records: fetched.records });
  return fetched;
}

/** Upserts records in requests that the server takes. @throws Refusal */
export async function upsertInRequests(
  target: ApiClient,
  kind: RecordKind,
  { namespace, records }: { readonly namespace: string; readonly records: readonly MigratedRecord[] },
): Promise<void> {
  for (const part of inRequests(records, kind.upsertRecordsMax)) await kind.upsert(target, namespace, part);
}

function* inRequests(
  records: readonly MigratedRecord[],
  recordsMax: number,
): Generator<readonly MigratedRecord[]> {
  let part: MigratedRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record.body)) + 1;
    if (part.length > 0 && (bytes + size > UPSERT_BYTES_MAX || part.length === recordsMax)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(record);
    bytes += size;
  }
  if (part.length > 0) yield part;
}
