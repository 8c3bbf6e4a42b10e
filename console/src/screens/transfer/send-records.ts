// Sends records in batches. A batch that is refused is halved until the rows at fault are known; the others are stored.
import { callIndex } from '../../api/call.ts';
import { asProblem, UNREACHABLE } from '../../api/problem.ts';
import type { Scope } from '../../api/session.ts';
import type { Index } from '../../api/types.ts';
import type { Action } from '../../ui/action.ts';
import { isDocumentIndex, textFieldOf } from '../index/index-kind.ts';

export interface NumberedRecord {
  /** Of the row in the file. */
  readonly number: number;
  readonly record: Readonly<Record<string, unknown>>;
}

export interface RowError {
  readonly row: number;
  readonly reason: string;
}

const BATCH_RECORDS = 200;
const BATCH_TEXTS = 96;
/** Below what the server takes as one request. */
const BATCH_CHARS_MAX = 1_000_000;
const TOO_MANY_REQUESTS = 429;
const CLIENT_ERRORS = 400;
const SERVER_ERRORS = 500;
const RETRIES_MAX = 10;
const PAUSE_MS = 1_000;

/** Cuts records into batches that the server takes. */
export function* batchesOf(
  index: Index,
  records: readonly NumberedRecord[],
): Generator<readonly NumberedRecord[]> {
  const most = isEmbedded(index) ? BATCH_TEXTS : BATCH_RECORDS;
  let batch: NumberedRecord[] = [];
  let chars = 0;
  for (const each of records) {
    const size = JSON.stringify(each.record).length;
    if (batch.length > 0 && (batch.length === most || chars + size > BATCH_CHARS_MAX)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(each);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

/** Stores a batch, and returns the rows that were refused. @throws Problem where nothing can be stored; the signal's reason */
export async function sendBatch(
  index: Index,
  namespace: string,
  batch: readonly NumberedRecord[],
  action: Action,
): Promise<readonly RowError[]> {
  for (let tries = 0; ; tries++) {
    action.signal.throwIfAborted();
    try {
      await upsert(index, namespace, batch, action.scope);
      return [];
    } catch (error) {
      const problem = asProblem(error);
      const { status } = problem;
      const isPassing = status === UNREACHABLE || status === TOO_MANY_REQUESTS || status >= SERVER_ERRORS;
      if (isPassing && tries < RETRIES_MAX) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * Math.min(tries + 1, 5)));
        continue;
      }
      // Only a refusal of the records themselves says something about single rows.
      if (status !== CLIENT_ERRORS && status !== 413 && status !== 422) throw problem;
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) return [{ row: only.number, reason: problem.message }];
      const middle = Math.ceil(batch.length / 2);
      const first = await sendBatch(index, namespace, batch.slice(0, middle), action);
      return [...first, ...(await sendBatch(index, namespace, batch.slice(middle), action))];
    }
  }
}

async function upsert(
  index: Index,
  namespace: string,
  batch: readonly NumberedRecord[],
  scope: Scope,
): Promise<void> {
  const segment = encodeURIComponent(namespace);
  if (isDocumentIndex(index)) {
    const body = { documents: batch.map(({ record }) => record) };
    await callIndex(index.name, 'POST', `namespaces/${segment}/documents/upsert`, { body, scope });
  } else if (textFieldOf(index) !== undefined) {
    await callIndex(index.name, 'POST', `records/namespaces/${segment}/upsert`, {
      body: batch.map(({ record }) => JSON.stringify(record)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
      scope,
    });
  } else {
    const body = { namespace, vectors: batch.map(({ record }) => record) };
    await callIndex(index.name, 'POST', 'vectors/upsert', { body, scope });
  }
}

function isEmbedded(index: Index): boolean {
  if (textFieldOf(index) !== undefined) return true;
  return Object.values(index.schema?.fields ?? {}).some(
    ({ embed, sparse_embed: sparse }) => embed !== undefined || sparse !== undefined,
  );
}
