// The models of new and re-embedded assistants: those of the settings, checked, else the usual ones.
import {
  MODEL_ROLES,
  type ModelNames,
  type ModelRole,
  USUAL_MODELS,
} from '../app/assistants/assistant-models.ts';
import type { Model } from '../domain/inference/model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { StartProblem } from './start-problems.ts';

/** @throws StartProblem for a name of no such model */
export function assistantModels(
  names: Partial<ModelNames> | null,
  inference: Pick<Inference, 'model'>,
): ModelNames {
  const models = { ...USUAL_MODELS, ...names };
  for (const role of MODEL_ROLES) {
    const name = names?.[role];
    const model = name === undefined ? undefined : inference.model(name);
    if (name === undefined || (model !== undefined && roleOf(model) === role)) continue;
    throw new StartProblem(
      `PINYON_ASSISTANT_MODELS names ${name} as the ${role} model, and this server has no such ${role} model. See pinyon models list.`,
    );
  }
  return models;
}

function roleOf(model: Model): ModelRole {
  return model.kind === 'rerank' ? 'rerank' : model.vectorType;
}
