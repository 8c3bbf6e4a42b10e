// All records of an index, read through its public calls.
import { call } from './call.ts';
import { API_KEY } from './service.ts';

interface Page {
  readonly vectors: readonly { readonly id: string }[];
  readonly pagination?: { readonly next: string };
}

export interface WireRecord {
  readonly id: string;
  readonly values?: readonly number[];
  readonly sparseValues?: { readonly indices: readonly number[]; readonly values: readonly number[] };
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

export async function upsert(host: string, namespace: string, vectors: readonly WireRecord[]): Promise<void> {
  const answer = await call(host, 'POST', '/vectors/upsert', { key: API_KEY, body: { vectors, namespace } });
  if (answer.status !== 200) throw new Error(answer.text);
}

/** By id, exactly as answers have them. */
export async function recordsOf(host: string, namespace: string): Promise<Readonly<Record<string, unknown>>> {
  const all: Record<string, unknown> = {};
  for (let token: string | undefined = ''; token !== undefined; ) {
    const query = new URLSearchParams({ namespace, paginationToken: token });
    const page = (await call(host, 'GET', `/vectors/list?${query}`, { key: API_KEY })).body as Page;
    // Ids with spaces cannot be fetched; what has been seen of them elsewhere must do.
    const plain = page.vectors.filter(({ id }) => !id.includes(' '));
    for (const { id } of page.vectors) all[id] = null;
    const ids = new URLSearchParams([...plain.map(({ id }) => ['ids', id]), ['namespace', namespace]]);
    if (plain.length > 0) {
      const fetched = await call(host, 'GET', `/vectors/fetch?${ids}`, { key: API_KEY });
      Object.assign(all, (fetched.body as { readonly vectors: object }).vectors);
    }
    token = page.pagination?.next;
  }
  return all;
}
