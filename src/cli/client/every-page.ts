// Yields all items of a list, page after page.
import { type JsonObject, membersOf } from '../../domain/json.ts';
import type { ApiClient } from './api-client.ts';

/** @param field the field that has the items of a page @param version of the interface; by default the client's */
export async function* everyPage(
  client: ApiClient,
  path: string,
  field = 'data',
  version?: string,
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let token: string | null = null; ; ) {
    const mark = path.includes('?') ? '&' : '?';
    const next: string = token === null ? '' : `${mark}paginationToken=${encodeURIComponent(token)}`;
    const page = await client.call('GET', `${path}${next}`, version === undefined ? {} : { version });
    const items = page[field];
    yield* Array.isArray(items) ? items : [];
    const { next: following } = membersOf(page.pagination);
    // A server that repeats a token would never reach the end.
    if (typeof following !== 'string' || following === '' || seen.has(following)) return;
    seen.add(following);
    token = following;
  }
}
