// The models of assistants, and the check that an assistant's models have not changed.
import type { Assistant, AssistantModels, StoredModel } from '../../domain/assistants/assistant.ts';
import { currentSource, type ModelListing } from '../../domain/embedding/current-source.ts';
import { sourceText } from '../../domain/embedding/embedding-source.ts';
import { fault } from '../../domain/faults.ts';
import { embedModel } from '../../domain/inference/find-model.ts';
import { readEmbedParameters } from '../../domain/inference/read-parameters.ts';

export interface ModelNames {
  readonly dense: string;
  readonly sparse: string;
  readonly rerank: string;
}

/** The default models: built-in ones until settings map these names to real models. */
export const USUAL_MODELS: ModelNames = {
  dense: 'llama-text-embed-v2',
  sparse: 'pinecone-sparse-english-v0',
  rerank: 'bge-reranker-v2-m3',
};

/** Returns the models for a new assistant. @throws unknown-model */
export function modelsNow(inference: ModelListing, names: ModelNames): AssistantModels {
  const model = embedModel(inference, names.dense);
  const { dimension } = readEmbedParameters(model, {}, { inputType: 'passage' });
  if (dimension === null) throw new Error(`model ${names.dense} is not dense`);
  return {
    dense: { ...storedModel(inference, names.dense), dimension },
    sparse: storedModel(inference, names.sparse),
  };
}

/** @throws assistant-models-changed */
export function requireSameModels(inference: ModelListing, { name, models }: Assistant): void {
  for (const { model, source } of [models.dense, models.sparse]) {
    const current = currentSource(inference, model);
    const now = current === null ? 'nobody' : sourceText(current.source);
    if (now === source) continue;
    throw fault('assistant-models-changed', { name, model, stored: source, current: now });
  }
}

function storedModel(inference: ModelListing, name: string): StoredModel {
  embedModel(inference, name);
  const source = inference.embeddingSource(name);
  if (source === undefined) throw new Error(`model ${name} has no source`);
  return { model: name, source: sourceText(source) };
}
