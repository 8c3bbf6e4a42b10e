// Notices about models for the operator.
import { HOSTED_MODELS } from '../domain/inference/hosted-models.ts';
import type { PlannedModel } from './plan-models.ts';
import { RECIPES } from './pull/recipes.ts';

/** Returns one sentence for each notice; none if every hosted name has a real model. */
export function noticesFor(plan: readonly PlannedModel[]): readonly string[] {
  const hosted = new Set(HOSTED_MODELS.map(({ name }) => name));
  const standIns = plan.flatMap((each) =>
    each.provider === 'built-in' && hosted.has(each.model.name) ? [each.model.name] : [],
  );
  if (standIns.length === 0) return [];
  const pulled = standIns.filter((name) => RECIPES.has(name));
  const pull = pulled.length === 0 ? '' : `pinyon models pull NAME, for ${pulled.join(', ')}; or `;
  return [
    `Built-in models, which are not neural networks, stand in for ${standIns.join(', ')}.`,
    `For real models: ${pull}PINYON_MODELS (docs/inference.md).`,
  ];
}
