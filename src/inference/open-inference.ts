// Opens the inference port: every model of the plan with its provider, ready for requests.
import { join } from 'node:path';
import type { Model } from '../domain/inference/model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { warmUp } from './builtin/encoders.ts';
import { noticesFor } from './notices.ts';
import { type PlannedModel, planModels } from './plan-models.ts';
import type { ProviderError } from './provider-errors.ts';
import { BuiltInProvider } from './providers/built-in/built-in-provider.ts';
import { openHttpModel } from './providers/http/open-http-model.ts';
import { openOnnxModel } from './providers/onnx/open-onnx-model.ts';
import { RUNTIME_FOLDER } from './pull/runtime/install-runtime.ts';
import { type ServedModel, servedModels } from './served-models.ts';
import type { ProviderSettings } from './settings/provider-settings.ts';

export { ModelsProblem } from './settings/fields.ts';

const MODELS_FOLDER = 'models';
const MEBIBYTE = 2 ** 20;
const SECOND_MS = 1_000;
const STEMS_MODEL = 'bm25-english';

export interface InferenceSettings {
  readonly dataDir: string;
  readonly models: ProviderSettings | null;
  readonly modelsDir: string | null;
  readonly modelQueueMax: number;
  readonly modelSeconds: number;
  readonly modelCacheMebibytes: number;
  readonly onnxThreads: number;
}

export interface OpenInferenceOptions {
  /** Environment variables, from which settings may take keys. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onProviderError: (model: string, providerError: ProviderError) => void;
}

/** Folder of the local models. */
export function modelsDirOf({
  modelsDir,
  dataDir,
}: Pick<InferenceSettings, 'modelsDir' | 'dataDir'>): string {
  return modelsDir ?? join(dataDir, MODELS_FOLDER);
}

/** Folder of the packages that local models run on. */
export function runtimeDirOf({ dataDir }: Pick<InferenceSettings, 'dataDir'>): string {
  return join(dataDir, RUNTIME_FOLDER);
}

/** Resolves when every local model is loaded. @throws ModelsProblem with a message for the operator */
export async function openInference(
  settings: InferenceSettings,
  options: OpenInferenceOptions,
): Promise<Inference> {
  const { plan, notices } = planModels(settings.models ?? new Map(), modelsDirOf(settings));
  const builtIn = new BuiltInProvider();
  // Reads their tables now, so that the first query does not block the others.
  if (plan.some(({ provider }) => provider === 'built-in')) warmUp();
  const opened = await Promise.allSettled(plan.map((each) => open(each, { settings, options, builtIn })));
  const served = opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const inference = servedModels({
    served,
    notices: [...noticesFor(plan), ...notices],
    requestsMax: settings.modelQueueMax,
    deadlineMs: settings.modelSeconds * SECOND_MS,
    cacheBytesMax: settings.modelCacheMebibytes * MEBIBYTE,
    onProviderError: options.onProviderError,
  });
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed === undefined) return inference;
  await inference.close();
  throw failed.reason;
}

interface Tools {
  readonly settings: InferenceSettings;
  readonly options: OpenInferenceOptions;
  readonly builtIn: BuiltInProvider;
}

async function open(planned: PlannedModel, { settings, options, builtIn }: Tools): Promise<ServedModel> {
  if (planned.provider === 'built-in') return builtInServed(planned.model, builtIn);
  if (planned.provider === 'http') return openHttpModel(planned, options.environment);
  const runtimeDir = runtimeDirOf(settings);
  return await openOnnxModel({ ...planned, threads: settings.onnxThreads, runtimeDir });
}

function builtInServed(model: Model, builtIn: BuiltInProvider): ServedModel {
  if (model.kind === 'rerank') return { model, reranker: builtIn.reranker() };
  if (model.vectorType === 'dense') return { model, embedder: builtIn.embedder('dense') };
  return { model, embedder: builtIn.embedder(model.name === STEMS_MODEL ? 'stems' : 'words') };
}
