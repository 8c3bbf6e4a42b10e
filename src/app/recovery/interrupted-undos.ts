// Undos that were under way at the moment of a recovery: what they had brought back is there, and they do not go on.
import type { Catalog } from '../../catalog/port.ts';
import { changeOfSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import { hadOtherVectors } from '../../domain/embedding/remade-vectors.ts';
import { newId } from '../../domain/ids.ts';
import { changedIndex } from '../../domain/index-change.ts';
import { storageIdOf } from '../../domain/index-model.ts';
import { UNDO_KIND, undoInputOf } from '../history/undo-job.ts';
import { REEMBED_KIND } from '../reembedding/reembed-progress.ts';

/**
 * Has the vectors made anew of which an undo may have brought back some of another source. The catalog is older than the
 * records: it need not say so yet. Safe to repeat, before the storage of the indexes is renamed.
 */
export async function remakeAfterUndos({ indexes, jobs }: Pick<Catalog, 'indexes' | 'jobs'>): Promise<void> {
  const undos = await jobs.active({ kind: UNDO_KIND });
  for (const index of await indexes.list()) {
    const { id: indexId, projectId } = index;
    const mixed = undos.flatMap((job) => {
      const { toLsn: lsn, storageId } = undoInputOf(job);
      if (job.indexId !== indexId || storageId !== storageIdOf(index)) return [];
      return embeddingSlots(index).filter(({ embed }) => hadOtherVectors(index, embed, { lsn }));
    });
    for (const { kind } of mixed) {
      const change = changeOfSlot(kind, (before) => ({
        ...before,
        remaking: before.remaking ?? before.source,
      }));
      await indexes.update(indexId, (stored) => changedIndex(stored, change));
    }
    if (mixed.length === 0 || (await jobs.active({ kind: REEMBED_KIND, indexId })).length > 0) continue;
    const createdAt = new Date().toISOString();
    const about = { kind: REEMBED_KIND, projectId, indexId, subject: null, input: {} };
    await jobs.insert({ ...about, id: newId(), createdAt });
  }
}
