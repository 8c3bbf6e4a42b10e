// The rules by which the two sets of vectors of an index change places.
import { changedIndex } from '../index-change.ts';
import { type Index, storageIdOf } from '../index-model.ts';
import { changeOfSlot, type EmbeddingSlot, embeddingSlots } from './embedding-slots.ts';
import type { EmbeddingSource } from './embedding-source.ts';
import type { VectorSet } from './vector-sets.ts';

/** The ids of all storage that belongs to an index. */
export function storagesOf(index: Pick<Index, 'id' | 'storageId' | 'modelChange'>): readonly string[] {
  const standby = index.modelChange?.standby.storageId;
  return standby === undefined ? [storageIdOf(index)] : [storageIdOf(index), standby];
}

/** The index as its other vectors would have it. Null without a change. */
export function standbyIndex(index: Index): Index | null {
  const { modelChange, ...rest } = index;
  return modelChange === undefined ? null : { ...rest, ...withTextFields(modelChange.standby, index) };
}

/** The index with both sets of vectors exchanged. */
export function switchedIndex(index: Index, at: string): Index {
  const { modelChange, dimension, embed, documents } = index;
  if (modelChange === undefined) throw new Error('the model of the index is not being changed');
  return {
    ...index,
    ...withTextFields(modelChange.standby, index),
    modelChange: {
      state: modelChange.state === 'Switched' ? 'Ready' : 'Switched',
      standby: { storageId: storageIdOf(index), dimension, embed, documents },
      startedAt: modelChange.startedAt,
      changedAt: at,
    },
  };
}

/** The index with the sources of its other vectors, where these have models of their own. */
export function withStandbySources(index: Index, sourceOf: (slot: EmbeddingSlot) => EmbeddingSource): Index {
  const { modelChange } = index;
  const standby = standbyIndex(index);
  if (modelChange === undefined || standby === null) return index;
  const differing = differingSlots(standby, index);
  const { embed, documents } = embeddingSlots(standby)
    .filter(({ kind }) => differing.has(kind))
    .reduce((changed, slot) => {
      const source = sourceOf(slot);
      return changedIndex(
        changed,
        changeOfSlot(slot.kind, (before) => ({ ...before, source })),
      );
    }, standby);
  return { ...index, modelChange: { ...modelChange, standby: { ...modelChange.standby, embed, documents } } };
}

/** The index without its change: the vectors that answer stay. */
export function withoutModelChange({ modelChange: _, ...index }: Index): Index {
  return index;
}

/** The kinds of embeddings that two sets of vectors do not share. */
export function differingSlots(one: Index, other: Index): ReadonlySet<string> {
  const sources = new Map(embeddingSlots(other).map((slot) => [slot.kind, keyOf(slot)]));
  return new Set(
    embeddingSlots(one).flatMap((slot) => (sources.get(slot.kind) === keyOf(slot) ? [] : [slot.kind])),
  );
}

/** One model makes different vectors for each dimension. */
function keyOf({ embed, dimension }: EmbeddingSlot): string {
  const { model, source, writeParameters } = embed;
  return JSON.stringify([model, source.provider, source.revision, writeParameters, dimension]);
}

/** They cannot change while there are two sets; the planned set does not have the former ones. */
function withTextFields(set: VectorSet, { embed }: Index): VectorSet {
  if (set.embed === null || embed === null) return set;
  const { formerTextFields: _, ...rest } = set.embed;
  const { textField, formerTextFields } = embed;
  return {
    ...set,
    embed: { ...rest, textField, ...(formerTextFields !== undefined && { formerTextFields }) },
  };
}
