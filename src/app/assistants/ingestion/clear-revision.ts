// Removes the chunks, bytes and row of a dead revision.
import type { Blobs } from '../../../blobs/port.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { fileDescriptionKey } from '../../../domain/assistants/descriptions.ts';
import { pictureKeys, revisionKey, tablesKey } from '../../../domain/assistants/file.ts';
import type { RevisionInput } from '../assistant-jobs.ts';
import { ChunkStore, type ChunkStoreParts } from '../chunks/chunk-store.ts';
import { removeBlobs } from '../files/remove-blobs.ts';

export interface ClearingParts extends ChunkStoreParts {
  readonly catalog: Pick<Catalog, 'assistants' | 'assistantRevisions'>;
  readonly blobs: Pick<Blobs, 'delete' | 'list'>;
}

/** Safe to repeat, since the row goes last. No effect once the assistant is deleted. */
export async function clearRevision(
  parts: ClearingParts,
  { assistantId, revisionId }: RevisionInput,
): Promise<void> {
  const assistant = await parts.catalog.assistants.byId(assistantId);
  if (assistant === null || assistant.state === 'Terminating') return;
  await new ChunkStore(parts, assistant).removeRevision(revisionId);
  const revision = { assistantId, id: revisionId };
  await parts.blobs.delete(fileDescriptionKey(revision));
  await removeBlobs(parts.blobs, pictureKeys(revision));
  await parts.blobs.delete(tablesKey(revision));
  await parts.blobs.delete(revisionKey(revision));
  await parts.catalog.assistantRevisions.remove(revisionId, new Date().toISOString());
}

/** Removes what was still written of a revision while it was cleared. No effect on one that is not dead. Safe to repeat. */
export async function clearIfGone(parts: ClearingParts, input: RevisionInput): Promise<void> {
  const revision = await parts.catalog.assistantRevisions.find(input.revisionId);
  if (revision === null || revision.state === 'dead') await clearRevision(parts, input);
}
