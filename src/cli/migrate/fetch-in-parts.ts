// Fetches records whose answer may be too large for one: in halves, down to one record.
import { type ApiClient, Refusal } from '../client/api-client.ts';
import type { Fetched, RecordKind } from './record-kind.ts';

/** With which servers refuse an answer that would be too large. */
const TOO_LARGE: ReadonlySet<number> = new Set([400, 413]);

/** Whether a server may have refused an answer because it would be too large. */
export function mayBeTooLarge(error: unknown): boolean {
  return error instanceof Refusal && TOO_LARGE.has(error.status);
}

export interface Wanted {
  readonly namespace: string;
  readonly ids: readonly string[];
}

/** As `fetch` of the kind. @throws Refusal when even one is refused */
export async function fetchInParts(
  kind: Pick<RecordKind, 'fetch'>,
  client: ApiClient,
  { namespace, ids }: Wanted,
): Promise<Fetched> {
  try {
    return await kind.fetch(client, namespace, ids);
  } catch (error) {
    if (!mayBeTooLarge(error) || ids.length < 2) throw error;
    const half = Math.ceil(ids.length / 2);
    const first = await fetchInParts(kind, client, { namespace, ids: ids.slice(0, half) });
    const second = await fetchInParts(kind, client, { namespace, ids: ids.slice(half) });
    return {
      records: [...first.records, ...second.records],
      unreadable: [...first.unreadable, ...second.unreadable],
    };
  }
}
