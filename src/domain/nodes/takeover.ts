// What is taken over from a node that is dead for good: an index from its newest backup, an assistant from its files.
import type { Archive } from '../backups/archive.ts';
import { changeOfSlot, embeddingSlots } from '../embedding/embedding-slots.ts';
import { differingSlots } from '../embedding/model-change.ts';
import { changedIndex } from '../index-change.ts';
import type { Index } from '../index-model.ts';

/** The kinds of jobs that move what a node has, and make it anew elsewhere. */
export const MOVE_KIND = 'index-move';
export const RECOVERY_KIND = 'index-takeover';
export const ASSISTANT_MOVE_KIND = 'assistant-move';

/** Jobs that end with the node: what they did is lost with it, and to undo them would touch what is made anew. */
export const ENDED_WITH_NODE: readonly string[] = [
  MOVE_KIND,
  RECOVERY_KIND,
  ASSISTANT_MOVE_KIND,
  'assistant-reembed',
  'restore',
  'collection-restore',
];

/** Why an index cannot be made anew from a backup of it; null when it can. */
export function whyNotFrom(archive: Archive, index: Index): string | null {
  if (archive.state !== 'Ready') return `backup ${archive.id} is not ready`;
  if (archive.source.id !== index.id) return `backup ${archive.id} is of another index`;
  const { dimension, metric, vectorType } = archive.source;
  const isAlike =
    dimension === index.dimension &&
    metric === index.metric &&
    vectorType === index.vectorType &&
    differingSlots(archive.source, index).size === 0;
  return isAlike ? null : `its model has been changed since backup ${archive.id} was made`;
}

/** The index with vectors of a backup of it, of which some are of another source where a re-embedding was under way. */
export function withVectorsOf({ source }: Pick<Archive, 'source'>, index: Index): Index {
  return embeddingSlots(source).reduce(
    (changed, { kind, embed: { remaking } }) =>
      changedIndex(
        changed,
        changeOfSlot(kind, (before) => ({ ...before, remaking })),
      ),
    index,
  );
}
