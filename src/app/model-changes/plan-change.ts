// Plans a change of the model of an index: which vectors the new model makes, and whether it fits the index.

import { currentSource, isSameSource, type ModelListing } from '../../domain/embedding/current-source.ts';
import { changeOfSlot, type EmbeddingSlot, embeddingSlots } from '../../domain/embedding/embedding-slots.ts';
import type { RequestedModelChange } from '../../domain/embedding/model-change-service.ts';
import { changedParameters } from '../../domain/embedding/stored-parameters.ts';
import type { VectorSet } from '../../domain/embedding/vector-sets.ts';
import { fault, invalid } from '../../domain/faults.ts';
import { newId } from '../../domain/ids.ts';
import { changedIndex } from '../../domain/index-change.ts';
import type { Index } from '../../domain/index-model.ts';
import { type EmbedModel, isEmbedModel } from '../../domain/inference/model.ts';
import { quoted } from '../../domain/quoted.ts';

/** @throws not-integrated, model-not-found, invalid-argument, wrong-index-kind */
export function plannedVectors(
  listing: ModelListing,
  index: Index,
  requested: RequestedModelChange,
): VectorSet {
  const current = currentSource(listing, requested.model);
  if (current === null) {
    const supported = listing.models().filter(isEmbedModel);
    throw fault('model-not-found', {
      name: quoted(requested.model),
      supported: supported.map(({ name }) => name).join(', '),
    });
  }
  const { model, source } = current;
  const slot = slotFor(index, model);
  const dimension = dimensionFor(index, model, requested);
  const given = slot.embed.model === model.name ? slot.embed : { writeParameters: {}, readParameters: {} };
  const write = { path: 'write_parameters', dimension } as const;
  const read = { path: 'read_parameters', dimension } as const;
  const writeParameters = { stored: given.writeParameters, given: requested.writeParameters };
  const readParameters = { stored: given.readParameters, given: requested.readParameters };
  const embed = {
    model: model.name,
    writeParameters: changedParameters(model, writeParameters, write),
    readParameters: changedParameters(model, readParameters, read),
    source,
    remaking: null,
  };
  if (
    slot.embed.model === model.name &&
    isSameSource(source, slot.embed.source) &&
    dimension === slot.dimension
  ) {
    throw invalid(`Index ${index.name} has vectors of model '${model.name}' already.`);
  }
  const changed = changedIndex(
    index,
    changeOfSlot(slot.kind, () => embed),
  );
  return {
    storageId: newId(),
    dimension: model.vectorType === 'sparse' ? index.dimension : dimension,
    embed: changed.embed,
    documents: changed.documents,
  };
}

/** The embedding that the model replaces: the one that makes vectors of its type. */
function slotFor(index: Index, model: EmbedModel): EmbeddingSlot {
  const slots = embeddingSlots(index);
  if (slots.length === 0) throw fault('not-integrated');
  const slot = slots.find(({ kind, embed, dimension }) =>
    kind === 'index'
      ? model.vectorType === index.vectorType && embed !== null
      : (dimension === null) === (model.vectorType === 'sparse'),
  );
  if (slot === undefined)
    throw invalid(
      `Model '${model.name}' makes ${model.vectorType} vectors; index ${index.name} has no such ones from texts.`,
    );
  if (!slot.isStored)
    throw fault('wrong-index-kind', {
      reason: `The model of index ${index.name} cannot be changed: field '${slot.embed.textField}' does not store its texts (store_text is false)`,
    });
  if (slot.embed.remaking !== null)
    throw invalid(`Index ${index.name} is being re-embedded. Wait until that has ended.`);
  // That of a document index is the metric of its dense vectors; sparse ones are always compared by dot product.
  if (slot.kind !== 'sparseEmbed' && !model.metrics.includes(index.metric))
    throw invalid(
      `Index ${index.name} has metric ${index.metric}, which model '${model.name}' does not support. Supported metrics: ${model.metrics.join(', ')}.`,
    );
  return slot;
}

function dimensionFor(index: Index, model: EmbedModel, { dimension }: RequestedModelChange): number | null {
  if (model.vectorType === 'sparse') {
    if (dimension === undefined) return null;
    throw invalid(`dimension must not be given for model '${model.name}', which is sparse.`);
  }
  const { dimensions, defaultDimension } = model;
  if (dimension === undefined)
    return index.dimension !== null && dimensions.includes(index.dimension)
      ? index.dimension
      : defaultDimension;
  if (dimensions.includes(dimension)) return dimension;
  throw invalid(
    `dimension must be one of ${dimensions.join(', ')} for model '${model.name}', got ${dimension}.`,
  );
}
