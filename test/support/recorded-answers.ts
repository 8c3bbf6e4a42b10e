// Recorded requests to a service and their answers, for comparing what two releases answer from one data directory.
import { createHash } from 'node:crypto';
import { type Answer, call } from './call.ts';

const VERSION = '2026-07';
const LISTED_AT_ONCE = 100;
const FETCHED_AT_ONCE = 400;
/** Longer answers are kept as a digest. */
const KEPT_CHARS_MAX = 2_000;

/** One request; `EVERYTHING` reads all records of the namespace in `path`. */
export interface RecordedCall {
  readonly title: string;
  /** Name of the index that is called; null for the base address. */
  readonly index: string | null;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Another API key than the default one. */
  readonly key?: string;
  /** Sends the owner's access token instead of a key. */
  readonly asOwner?: boolean;
  /** Fields of the answer that differ from run to run. */
  readonly omitted?: readonly string[];
}

/** A body that is too long to keep is replaced by its digest. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly sha256?: string;
}

export interface Caller {
  /** Base address of the service, which serves its indexes by host name. */
  readonly url: string;
  readonly apiKey: string;
  readonly token: string;
  /** Host name of each index. */
  readonly hosts: ReadonlyMap<string, string>;
}

/** Sends a recorded request. */
export async function answerTo(caller: Caller, recorded: RecordedCall): Promise<RecordedAnswer> {
  if (recorded.method === 'EVERYTHING') return shortened(200, await everything(caller, recorded));
  const { status, body } = await send(caller, recorded);
  return shortened(status, body, recorded.omitted);
}

/** Host names of the indexes that the service lists. */
export async function hostsOf(url: string, apiKey: string): Promise<ReadonlyMap<string, string>> {
  const { body } = await call(url, 'GET', '/indexes', { key: apiKey, version: VERSION });
  const { indexes } = body as {
    readonly indexes: readonly { readonly name: string; readonly host: string }[];
  };
  return new Map(indexes.map(({ name, host }) => [name, new URL(host).host]));
}

function send(caller: Caller, { index, method, path, body, key, asOwner }: RecordedCall): Promise<Answer> {
  const host = index === null ? undefined : caller.hosts.get(index);
  return call(caller.url, method, path, {
    key: asOwner ? null : (key ?? caller.apiKey),
    version: VERSION,
    body,
    headers: {
      ...(host !== undefined && { host }),
      ...(asOwner && { authorization: `Bearer ${caller.token}` }),
    },
  });
}

function shortened(status: number, body: unknown, omitted: readonly string[] = []): RecordedAnswer {
  const text = JSON.stringify(body, (key, value) => (omitted.includes(key) ? undefined : value));
  if (text.length <= KEPT_CHARS_MAX) return { status, body: JSON.parse(text) };
  return { status, sha256: createHash('sha256').update(text).digest('hex') };
}

/** All records of a namespace, by id. */
async function everything(caller: Caller, { title, index, path: namespace }: RecordedCall): Promise<unknown> {
  const get = async (path: string): Promise<unknown> => {
    const { status, body, text } = await send(caller, { title, index, method: 'GET', path });
    if (status !== 200) throw new Error(`${title}: ${status} ${text}`);
    return body;
  };
  const ids: string[] = [];
  for (let next: string | undefined = ''; next !== undefined; ) {
    const query = new URLSearchParams({ namespace, limit: String(LISTED_AT_ONCE) });
    if (next !== '') query.set('paginationToken', next);
    const page = (await get(`/vectors/list?${query}`)) as {
      readonly vectors?: readonly { readonly id: string }[];
      readonly pagination?: { readonly next: string };
    };
    ids.push(...(page.vectors ?? []).map(({ id }) => id));
    next = page.pagination?.next;
  }
  const records: (readonly [id: string, record: unknown])[] = [];
  for (let first = 0; first < ids.length; first += FETCHED_AT_ONCE) {
    const query = new URLSearchParams({ namespace });
    for (const id of ids.slice(first, first + FETCHED_AT_ONCE)) query.append('ids', id);
    const { vectors } = (await get(`/vectors/fetch?${query}`)) as {
      readonly vectors: Readonly<Record<string, unknown>>;
    };
    records.push(...Object.entries(vectors));
  }
  return records.sort(([one], [other]) => (one < other ? -1 : 1));
}
