// All items of a listing, page after page.
import type { ApiClient, JsonObject } from './api-client.ts';

/** @param field where pages have their items */
export async function* everyPage(
  client: ApiClient,
  path: string,
  field = 'data',
): AsyncGenerator<JsonObject> {
  const seen = new Set<string>();
  for (let token: string | null = null; ; ) {
    const mark = path.includes('?') ? '&' : '?';
    const next: string = token === null ? '' : `${mark}paginationToken=${encodeURIComponent(token)}`;
    const page = await client.call('GET', `${path}${next}`);
    yield* (page[field] as readonly JsonObject[] | undefined) ?? [];
    const { next: following } = (page.pagination ?? {}) as { readonly next?: string | null };
    // A server that gives the same token again would never come to an end.
    if (!following || seen.has(following)) return;
    seen.add(following);
    token = following;
  }
}
