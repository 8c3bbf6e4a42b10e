// The models of new and re-embedded assistants: those of the settings, checked, else the usual ones.
import {
  MODEL_ROLES,
  type ModelNames,
  type ModelRole,
  USUAL_MODELS,
} from '../app/assistants/assistant-models.ts';
import type { Model } from '../domain/inference/model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { SettingsProblem } from './read-settings.ts';

/** @throws SettingsProblem for names of no such models */
export function assistantModels(
  names: Partial<ModelNames> | null,
  inference: Pick<Inference, 'model'>,
): ModelNames {
  const problems = MODEL_ROLES.flatMap((role) => {
    const name = names?.[role];
    const model = name === undefined ? undefined : inference.model(name);
    if (name === undefined || (model !== undefined && roleOf(model) === role)) return [];
    return [
      `PINYON_ASSISTANT_MODELS names ${name} as the ${role} model, and this server has no such ${role} model. See pinyon models list.`,
    ];
  });
  if (problems.length > 0) throw new SettingsProblem(problems);
  return { ...USUAL_MODELS, ...names };
}

function roleOf(model: Model): ModelRole {
  return model.kind === 'rerank' ? 'rerank' : model.vectorType;
}
