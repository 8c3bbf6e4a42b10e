// Removes what an archive has in blobs.
import type { Blobs } from '../../blobs/port.ts';
import { archivePrefix } from './archive-format.ts';

/** Safe to repeat. The manifest, first in the list, goes first: what is half removed is no archive. */
export async function clearArchive(blobs: Blobs, archiveId: string): Promise<void> {
  const prefix = archivePrefix(archiveId);
  for (
    let page = await blobs.list(prefix, null);
    page.items.length > 0;
    page = await blobs.list(prefix, null)
  ) {
    for (const { key } of page.items) await blobs.delete(key);
  }
}
