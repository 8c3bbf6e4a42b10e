// Removes bytes without a revision, which a crash left between storing bytes and row.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { fileDescriptionKey } from '../../../domain/assistants/descriptions.ts';
import { ALL_FILES_PREFIX, assistantOfKey, revisionOfKey } from '../../../domain/assistants/file.ts';
import { readDescription } from '../descriptions/description-text.ts';

/** Longer than any upload takes: younger bytes may still get their row. */
const AGE_MS_MIN = 24 * 60 * 60 * 1_000;

export interface SweepParts {
  readonly blobs: Pick<Blobs, 'get' | 'list' | 'delete'>;
  readonly catalog: Pick<Catalog, 'assistantRevisions'>;
  readonly now?: () => number;
  /** Ends the sweep early. */
  readonly signal?: AbortSignal;
}

export interface Swept {
  /** Blobs. */
  readonly removed: number;
  /** Uploads that were kept although the catalog does not know them. */
  readonly orphaned: number;
}

/**
 * Keeps what is described: a catalog has known it, so that this one is new or an older copy. What is cleared loses its
 * description before its bytes. Call it from time to time; safe at any time.
 * @throws BlobsUnavailable
 */
export async function sweepUploads(parts: SweepParts): Promise<Swept> {
  const { blobs, catalog, now = Date.now, signal } = parts;
  const orphans = new Set<string>();
  let removed = 0;
  let cursor: string | null = null;
  do {
    const page = await blobs.list(ALL_FILES_PREFIX, cursor);
    for (const { key, modifiedAt } of page.items) {
      if (signal?.aborted) return { removed, orphaned: orphans.size };
      if (now() - new Date(modifiedAt).getTime() < AGE_MS_MIN) continue;
      const id = revisionOfKey(key);
      if (orphans.has(id) || (await catalog.assistantRevisions.find(id)) !== null) continue;
      const description = fileDescriptionKey({ assistantId: assistantOfKey(key), id });
      if ((await readDescription(blobs, description)) !== null) {
        orphans.add(id);
        continue;
      }
      await blobs.delete(key);
      removed++;
    }
    cursor = page.next;
  } while (cursor !== null);
  return { removed, orphaned: orphans.size };
}
