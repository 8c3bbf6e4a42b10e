// Removes all blobs with a key prefix.
import type { BlobPage, Blobs } from '../../../blobs/port.ts';

/** Safe to repeat. */
export async function removeBlobs(blobs: Pick<Blobs, 'delete' | 'list'>, prefix: string): Promise<void> {
  for (let page: BlobPage | null = await blobs.list(prefix, null); page !== null; ) {
    for (const { key } of page.items) await blobs.delete(key);
    page = page.next === null ? null : await blobs.list(prefix, page.next);
  }
}
