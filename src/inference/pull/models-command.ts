// The command `pinyon models`: lists the provider of each model, and downloads real models.
import { planModels } from '../plan-models.ts';
import { readManifest } from '../providers/onnx/manifest.ts';
import { ModelsProblem } from '../settings/fields.ts';
import type { ProviderSettings } from '../settings/provider-settings.ts';
import { megabytes, type PullProgress, pullModel } from './pull-model.ts';
import { RECIPES } from './recipes.ts';

export interface ModelsCommandOptions {
  readonly settings: ProviderSettings;
  readonly modelsDir: string;
  readonly write: (text: string) => void;
  /** Whether a line may be overwritten, as on a terminal. */
  readonly isTerminal: boolean;
}

export const MODELS_USAGE = 'Usage: pinyon models list | pinyon models pull NAME [--from ADDRESS_OF_A_HUB]';

const BAR_CHARS = 24;
const STEP_PERCENT = 10;

/** Resolves to false when the arguments are not such a command. @throws ModelsProblem */
export async function modelsCommand(
  words: readonly string[],
  options: ModelsCommandOptions,
): Promise<boolean> {
  const [verb, name, from, hub, ...others] = words;
  if ((verb === '--help' || verb === '-h') && name === undefined) {
    options.write(`${MODELS_USAGE}\n`);
    return true;
  }
  if (verb === 'list' && name === undefined) {
    options.write(listing(options));
    return true;
  }
  const isPull = verb === 'pull' && name !== undefined && others.length === 0;
  if (!isPull || (from !== undefined && (from !== '--from' || hub === undefined))) return false;
  if (hub !== undefined && !/^https?:\/\/./.test(hub))
    throw new ModelsProblem('--from needs an address like https://hub.example.org');
  const folder = await pullModel(name, {
    modelsDir: options.modelsDir,
    onProgress: progressWriter(options),
    ...(hub === undefined ? {} : { hub }),
  });
  options.write(pulledText(name, folder));
  return true;
}

function pulledText(name: string, folder: string): string {
  return [
    `${name} is in ${folder}. It answers from the next start on.`,
    'Local models need two packages: npm install onnxruntime-node@1.30.0 @huggingface/tokenizers@0.2.0',
    'Indexes whose vectors another model made refuse texts until: pinyon reembed INDEX',
    '',
  ].join('\n');
}

function listing({ settings, modelsDir }: ModelsCommandOptions): string {
  const rows = planModels(settings, modelsDir).map((planned): readonly [string, string] => {
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
function progressWriter({ write, isTerminal }: ModelsCommandOptions): (progress: PullProgress) => void {
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
