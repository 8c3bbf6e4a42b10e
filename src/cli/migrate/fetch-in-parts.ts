// Fetches records whose answer may be too large for one: in halves, down to one record.
import { type ApiClient, Refusal } from '../client/api-client.ts';
import type { MigratedRecord, RecordKind } from './record-kind.ts';

/** With which servers refuse an answer that would be too large. */
const TOO_LARGE: ReadonlySet<number> = new Set([400, 413]);

export interface Wanted {
  readonly namespace: string;
  readonly ids: readonly string[];
}

/** The records that exist, as `fetch` of their kind. @throws Refusal when even one is refused */
export async function fetchInParts(
  kind: Pick<RecordKind, 'fetch'>,
  client: ApiClient,
  { namespace, ids }: Wanted,
): Promise<readonly MigratedRecord[]> {
  try {
    return await kind.fetch(client, namespace, ids);
  } catch (error) {
    if (!(error instanceof Refusal) || !TOO_LARGE.has(error.status) || ids.length < 2) throw error;
    const half = Math.ceil(ids.length / 2);
    const first = await fetchInParts(kind, client, { namespace, ids: ids.slice(0, half) });
    return [...first, ...(await fetchInParts(kind, client, { namespace, ids: ids.slice(half) }))];
  }
}
