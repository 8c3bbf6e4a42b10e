// Removes the blobs of an archive.
import type { Blobs } from '../../blobs/port.ts';
import { archivePrefix } from './archive-format.ts';

/** Safe to repeat. Deletes the manifest first, since it sorts first: half an archive does not count as one. */
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
