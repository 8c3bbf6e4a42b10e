// Chooses the provider of each model name: from the settings, else a local folder, else the built-in models.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Model } from '../domain/inference/model.ts';
import { findFolders } from './find-folders.ts';
import { MANIFEST_FILE } from './providers/onnx/manifest.ts';
import { broughtModel, builtInModel, CATALOGUE } from './settings/describe-model.ts';
import { ModelsProblem } from './settings/fields.ts';
import type { HttpSetting, ProviderSettings } from './settings/provider-settings.ts';

export type PlannedModel =
  | { readonly provider: 'built-in'; readonly model: Model }
  | { readonly provider: 'onnx'; readonly name: string; readonly folder: string }
  | { readonly provider: 'http'; readonly model: Model; readonly setting: HttpSetting };

export interface Plan {
  readonly plan: readonly PlannedModel[];
  /** Folders that look like models and are not served, one sentence each. */
  readonly notices: readonly string[];
}

/**
 * The names of the catalogue, of the settings, and of folders with a model.
 * @throws ModelsProblem for a name that is not in the catalogue and has no provider
 */
export function planModels(settings: ProviderSettings, modelsDir: string): Plan {
  const known = new Set([...CATALOGUE.keys(), ...settings.keys()]);
  const { found, notices } = findFolders(modelsDir, known);
  const plan = [...known, ...found].flatMap((name) => planOne(name, settings, modelsDir) ?? []);
  return { plan, notices };
}

function planOne(name: string, settings: ProviderSettings, modelsDir: string): PlannedModel | undefined {
  const setting = settings.get(name);
  const folder = join(modelsDir, name);
  if (setting === undefined) {
    return existsSync(join(folder, MANIFEST_FILE)) ? { provider: 'onnx', name, folder } : builtIn(name);
  }
  if (setting.provider === 'none') return undefined;
  if (setting.provider === 'built-in') return builtIn(name);
  if (setting.provider === 'onnx') return { provider: 'onnx', name, folder: setting.path ?? folder };
  const servedBy = `${setting.model} at an HTTP provider`;
  // Only rerank models are supported with Cohere's API, so the type may be omitted.
  const attributes =
    setting.provider === 'cohere' ? { ...setting.attributes, type: 'rerank' as const } : setting.attributes;
  const { maxTokens } = attributes;
  const model = broughtModel(name, attributes, servedBy);
  const limited = maxTokens === undefined ? model : { ...model, providerTokensMax: maxTokens };
  return { provider: 'http', model: limited, setting };
}

function builtIn(name: string): PlannedModel {
  const model = CATALOGUE.get(name);
  if (model !== undefined) return { provider: 'built-in', model: builtInModel(model) };
  throw new ModelsProblem(
    `model ${name} is not built in; built-in models: ${[...CATALOGUE.keys()].join(', ')}`,
  );
}
