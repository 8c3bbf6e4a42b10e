// The models of assistants, and the check that an assistant's models have not changed.
import {
  type Assistant,
  type AssistantModels,
  type StoredModel,
  TERMS_MODEL,
} from '../../domain/assistants/assistant.ts';
import { currentSource, type ModelListing } from '../../domain/embedding/current-source.ts';
import { sourceText } from '../../domain/embedding/embedding-source.ts';
import { fault } from '../../domain/faults.ts';
import { embedModel } from '../../domain/inference/find-model.ts';
import { readEmbedParameters } from '../../domain/inference/read-parameters.ts';
import { TERMS_SOURCE } from './terms/analyze.ts';

/** What an assistant has a model for. */
export const MODEL_ROLES = ['dense', 'sparse', 'rerank'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];

export interface ModelNames {
  readonly dense: string;
  /** Searched in place of terms, where a setting names one. */
  readonly sparse?: string | undefined;
  readonly rerank: string;
}

/** The default models: built-in ones until settings map these names to real models. */
export const USUAL_MODELS: ModelNames = {
  dense: 'llama-text-embed-v2',
  rerank: 'bge-reranker-v2-m3',
};

/** Returns the models for a new assistant. @throws unknown-model */
export function modelsNow(inference: ModelListing, names: ModelNames): AssistantModels {
  const model = embedModel(inference, names.dense);
  const { dimension } = readEmbedParameters(model, {}, { inputType: 'passage' });
  if (dimension === null) throw new Error(`model ${names.dense} is not dense`);
  return {
    dense: { ...storedModel(inference, names.dense), dimension },
    sparse:
      names.sparse === undefined
        ? { model: TERMS_MODEL, source: TERMS_SOURCE }
        : storedModel(inference, names.sparse),
  };
}

/** @throws assistant-models-changed */
export function requireSameModels(inference: ModelListing, { name, models }: Assistant): void {
  for (const { model, source } of [models.dense, models.sparse]) {
    const now = sourceNow(inference, model);
    if (now === source) continue;
    throw fault('assistant-models-changed', { name, model, stored: source, current: now });
  }
}

function sourceNow(inference: ModelListing, model: string): string {
  if (model === TERMS_MODEL) return TERMS_SOURCE;
  const current = currentSource(inference, model);
  return current === null ? 'nobody' : sourceText(current.source);
}

function storedModel(inference: ModelListing, name: string): StoredModel {
  embedModel(inference, name);
  const source = inference.embeddingSource(name);
  if (source === undefined) throw new Error(`model ${name} has no source`);
  return { model: name, source: sourceText(source) };
}
