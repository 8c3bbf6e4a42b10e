// The models setting, which maps names to providers.
import { readFileSync } from 'node:fs';
import { Fields, ModelsProblem } from './fields.ts';
import {
  type ModelAttributes,
  type Prefixes,
  readModelAttributes,
  readPrefixes,
} from './model-attributes.ts';

export const MODEL_NAME = /^[\x21-\x7e]{1,128}$/;

export const HTTP_PROVIDERS = ['openai', 'tei', 'cohere'] as const;
export type HttpProviderKind = (typeof HTTP_PROVIDERS)[number];
const PROVIDERS = ['built-in', 'onnx', 'none', ...HTTP_PROVIDERS] as const;

/** Upper limit on the texts of one call to a provider. */
const BATCH_MAX = 2_048;
const BATCH_DEFAULT = 32;
const PARALLEL_MAX = 64;
const PARALLEL_DEFAULT = 4;

export interface HttpSetting {
  readonly provider: HttpProviderKind;
  /** Without a trailing slash. No other address is ever called. */
  readonly url: string;
  /** The model's name at the provider. */
  readonly model: string;
  readonly key: ProviderKey | null;
  readonly attributes: ModelAttributes;
  readonly prefixes: Prefixes;
  /** Name of the field that carries the input type; null to omit it. */
  readonly inputTypeField: string | null;
  /** Who shortens vectors: the provider, by a dimensions field, or this server, by truncation. */
  readonly resize: 'server' | 'cut';
  readonly normalize: boolean;
  readonly encoding: 'base64' | 'float';
  readonly batch: number;
  readonly parallel: number;
  /** Changed by the operator when the provider changes its model under the same name. */
  readonly revision: string;
}

export type ProviderKey = { readonly text: string } | { readonly variable: string };

export type ProviderSetting =
  | { readonly provider: 'built-in' }
  | { readonly provider: 'none' }
  | { readonly provider: 'onnx'; readonly path: string | null }
  | HttpSetting;

export type ProviderSettings = ReadonlyMap<string, ProviderSetting>;

/**
 * Reads the setting: JSON, or the path of a JSON file.
 * @throws ModelsProblem with the field and the rule, without the text
 */
export function readProviderSettings(text: string): ProviderSettings {
  const json = text.startsWith('{') ? text : fileText(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new ModelsProblem('must be JSON, or the path of a file with JSON');
  }
  const fields = new Fields(parsed, 'the object of models');
  return new Map(fields.names().map((name) => [name, readOne(name, fields.any(name))]));
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ModelsProblem('must be JSON, or the path of a readable file');
  }
}

function readOne(name: string, json: unknown): ProviderSetting {
  if (!MODEL_NAME.test(name)) {
    throw new ModelsProblem('must name models by 1 to 128 visible ASCII characters');
  }
  const fields = new Fields(typeof json === 'string' ? { provider: json } : json, `model ${name}`);
  const provider = fields.choice('provider', PROVIDERS);
  if (provider === undefined) {
    throw new ModelsProblem(`model ${name} needs a provider: ${PROVIDERS.join(', ')}`);
  }
  const setting = readProvider(name, provider, fields);
  fields.refuseOthers();
  return setting;
}

function readProvider(name: string, provider: (typeof PROVIDERS)[number], fields: Fields): ProviderSetting {
  if (provider === 'built-in' || provider === 'none') return { provider };
  if (provider === 'onnx') return { provider, path: fields.text('path') ?? null };
  return {
    provider,
    url: readUrl(name, fields.text('url')),
    model: fields.text('model') ?? name,
    key: readKey(name, fields),
    attributes: readModelAttributes(fields),
    prefixes: readPrefixes(fields),
    inputTypeField: fields.text('input_type_field') ?? null,
    resize: fields.choice('resize', ['server', 'cut']) ?? (provider === 'tei' ? 'cut' : 'server'),
    normalize: fields.flag('normalize') ?? true,
    encoding: fields.choice('encoding', ['base64', 'float']) ?? 'base64',
    batch: fields.wholeNumber('batch', [1, BATCH_MAX]) ?? BATCH_DEFAULT,
    parallel: fields.wholeNumber('parallel', [1, PARALLEL_MAX]) ?? PARALLEL_DEFAULT,
    revision: fields.text('revision') ?? '1',
  };
}

function readUrl(name: string, text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  const isFit =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === '' &&
    url.search === '' &&
    url.hash === '';
  if (!isFit) {
    throw new ModelsProblem(
      `model ${name} needs a url like https://api.example.org/v1, without user, query and fragment`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readKey(name: string, fields: Fields): ProviderKey | null {
  const text = fields.text('key');
  const variable = fields.text('key_env');
  if (text !== undefined && variable !== undefined) {
    throw new ModelsProblem(`model ${name} has both key and key_env; give one`);
  }
  // A header may contain nothing else, and fetch would quote the key in its error.
  if (text !== undefined && !isHeaderText(text)) {
    throw new ModelsProblem(`model ${name} has a key that is not visible ASCII characters`);
  }
  if (text !== undefined) return { text };
  return variable === undefined ? null : { variable };
}

export function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
