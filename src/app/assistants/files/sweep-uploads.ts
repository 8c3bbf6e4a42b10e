// Removes stored bytes that no revision names: of uploads that a crash ended between their bytes and their row.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { ALL_FILES_PREFIX, revisionOfKey } from '../../../domain/assistants/file.ts';

/** No upload takes so long: what is younger may still get its row. */
const AGE_MS_MIN = 24 * 60 * 60 * 1_000;

export interface SweepParts {
  readonly blobs: Pick<Blobs, 'list' | 'delete'>;
  readonly catalog: Pick<Catalog, 'assistantRevisions'>;
  readonly now?: () => number;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
}

/** To be called now and then; safe at any time. Answers how many were removed. */
export async function sweepUploads(parts: SweepParts): Promise<number> {
  const { blobs, catalog, now = Date.now, signal } = parts;
  let removed = 0;
  let cursor: string | null = null;
  do {
    const page = await blobs.list(ALL_FILES_PREFIX, cursor);
    for (const { key, modifiedAt } of page.items) {
      if (signal?.aborted) return removed;
      if (now() - new Date(modifiedAt).getTime() < AGE_MS_MIN) continue;
      if ((await catalog.assistantRevisions.find(revisionOfKey(key))) !== null) continue;
      await blobs.delete(key);
      removed++;
    }
    cursor = page.next;
  } while (cursor !== null);
  return removed;
}
