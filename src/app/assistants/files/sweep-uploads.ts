// Removes bytes without a revision, which a crash left between storing bytes and row.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { ALL_FILES_PREFIX, revisionOfKey } from '../../../domain/assistants/file.ts';

/** Longer than any upload takes: younger bytes may still get their row. */
const AGE_MS_MIN = 24 * 60 * 60 * 1_000;

export interface SweepParts {
  readonly blobs: Pick<Blobs, 'list' | 'delete'>;
  readonly catalog: Pick<Catalog, 'assistantRevisions'>;
  readonly now?: () => number;
  /** Ends the sweep early. */
  readonly signal?: AbortSignal;
}

/** Call it from time to time; safe at any time. Returns the number of removed blobs. */
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
