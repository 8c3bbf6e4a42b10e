// Finds the model that a request names, or lists those that exist.
import { fault } from '../faults.ts';
import { type EmbedModel, isEmbedModel, isRerankModel, type RerankModel } from './model.ts';
import type { Inference } from './port.ts';

type Listing = Pick<Inference, 'model' | 'models'>;

/** @throws unknown-model, also for the name of a rerank model */
export function embedModel(inference: Listing, name: string): EmbedModel {
  const model = inference.model(name);
  if (model !== undefined && isEmbedModel(model)) return model;
  throw unknown(name, 'embedding', inference.models().filter(isEmbedModel));
}

/** @throws unknown-model, also for the name of an embedding model */
export function rerankModel(inference: Listing, name: string): RerankModel {
  const model = inference.model(name);
  if (model !== undefined && isRerankModel(model)) return model;
  throw unknown(name, 'rerank', inference.models().filter(isRerankModel));
}

function unknown(name: string, kind: string, models: readonly { readonly name: string }[]) {
  return fault('unknown-model', { name, kind, supported: models.map((model) => model.name).join(', ') });
}
