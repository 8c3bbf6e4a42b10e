// Who judges evaluations: the language model, words with a local model of natural language inference, or words alone.
import type { Judge } from '../app/assistants/open-chat.ts';
import type { RerankModel } from '../domain/inference/model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { SettingsProblem } from './read-settings.ts';
import { LANGUAGE_MODEL } from './settings/models.ts';
import { StartProblem } from './start-problems.ts';

/** As LANGUAGE_MODEL, a value of the setting that is no name of a model. */
const WORDS = 'words';

type Models = Pick<Inference, 'models' | 'tellsEntailment' | 'infer'>;

/**
 * @param setting null: the language model where there is one, else the first local model that can, else words
 * @throws SettingsProblem for a name of no such model
 * @throws StartProblem where no language model was found
 */
export function evaluationJudge(setting: string | null, inference: Models, hasLanguageModel: boolean): Judge {
  if (setting === WORDS) return { by: 'words', infer: null };
  if (setting === LANGUAGE_MODEL && !hasLanguageModel) {
    // One that is found later serves the next start.
    throw new StartProblem(
      'PINYON_EVALUATION_MODEL is language-model, and PINYON_CHAT_URL=auto has found none.',
    );
  }
  if (setting === LANGUAGE_MODEL || (setting === null && hasLanguageModel)) return { by: 'language-model' };
  const able = inference.models().filter(({ name }) => inference.tellsEntailment(name));
  const model = setting === null ? able[0] : able.find(({ name }) => name === setting);
  if (model?.kind === 'rerank') return { by: 'words', infer: inferrer(inference, model) };
  if (setting === null) return { by: 'words', infer: null };
  throw new SettingsProblem([
    `PINYON_EVALUATION_MODEL names ${setting}, and this server has no such model that tells entailment. See pinyon models list.`,
  ]);
}

function inferrer(inference: Models, model: RerankModel) {
  return (premise: string, hypotheses: readonly string[], signal: AbortSignal) =>
    inference.infer({ model, premise, hypotheses }, { signal });
}
