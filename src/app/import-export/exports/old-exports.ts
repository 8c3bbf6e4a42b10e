// Removes old exports from the server's own storage, also those of indexes that are gone.
import type { BlobPage, Blobs } from '../../../blobs/port.ts';
import { OWN_EXPORTS_PREFIX, ownBase, removeAll } from './export-target.ts';

/** Exports stay for so long after the last of their files was written. */
const KEPT_MS = 7 * 86_400_000;
/** Of files of exports: others may have put theirs beside them, as exports to a bucket that the server uses, too. */
const OWN_KEY = /^exports\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\//;

/** Removes whole exports: one that is being written stays, however long it takes. @param now milliseconds since 1970 */
export async function removeOldExports(blobs: Blobs, now: number): Promise<void> {
  const newest = new Map<string, number>();
  for (let cursor: string | null = '', page: BlobPage; cursor !== null; cursor = page.next) {
    page = await blobs.list(OWN_EXPORTS_PREFIX, cursor === '' ? null : cursor);
    for (const { key, modifiedAt } of page.items) {
      const id = OWN_KEY.exec(key)?.[1];
      if (id !== undefined) newest.set(id, Math.max(newest.get(id) ?? 0, Date.parse(modifiedAt)));
    }
  }
  for (const [id, writtenMs] of newest) if (now - writtenMs > KEPT_MS) await removeAll(blobs, ownBase(id));
}
