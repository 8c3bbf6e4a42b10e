// The manifest of a local model: what its own files do not say, such as pooling, prefixes, limits and checksums.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fields, ModelsProblem } from '../../settings/fields.ts';
import {
  type ModelAttributes,
  type Prefixes,
  readModelAttributes,
  readPrefixes,
} from '../../settings/model-attributes.ts';
import { type NliLabel, nliLabels } from './nli-labels.ts';

export const MANIFEST_FILE = 'pinyon-model.json';

/** How the vectors of tokens are combined into one; `none` if the model does it. */
export const POOLINGS = ['mean', 'cls', 'last', 'none'] as const;
export type Pooling = (typeof POOLINGS)[number];

export interface OnnxManifest {
  readonly attributes: ModelAttributes;
  /** Path of the model file, relative to the folder. */
  readonly file: string;
  readonly pooling: Pooling;
  readonly normalize: boolean;
  readonly prefixes: Prefixes;
  /** Of a reranker with several outputs: the position of the one that means relevant; null if unknown. */
  readonly relevantOutput?: number | null;
  /** Of a model of natural language inference: what its outputs mean; null to see config.json. */
  readonly labels?: readonly NliLabel[] | null;
  /** The origin of the model, for people. */
  readonly source?: string | undefined;
  /** Positions of the model, including those of special tokens. */
  readonly maxTokens: number;
  /** SHA-256 in hexadecimal, by path in the folder; files that are not listed are not checked. */
  readonly checksums: ReadonlyMap<string, string>;
}

const FILE_DEFAULT = 'onnx/model.onnx';
const TOKENS_DEFAULT = 512;
const OUTPUTS_MAX = 1_000;

/** @throws ModelsProblem naming the file and the rule */
export function readManifest(folder: string): OnnxManifest {
  const path = join(folder, MANIFEST_FILE);
  const fields = new Fields(parsed(path), path);
  const attributes = readModelAttributes(fields);
  const manifest: OnnxManifest = {
    attributes,
    file: inFolder(fields.text('file') ?? FILE_DEFAULT, path),
    pooling: fields.choice('pooling', POOLINGS) ?? 'mean',
    normalize: fields.flag('normalize') ?? true,
    prefixes: readPrefixes(fields),
    relevantOutput: fields.wholeNumber('relevant_output', [0, OUTPUTS_MAX - 1]) ?? null,
    labels: readLabels(fields, path),
    source: fields.text('source'),
    maxTokens: attributes.maxTokens ?? TOKENS_DEFAULT,
    checksums: readChecksums(fields.object('files'), path),
  };
  fields.refuseOthers();
  return manifest;
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ModelsProblem(`missing file ${path}, which describes how to use the model`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelsProblem(`${path} is not JSON`);
  }
}

function readLabels(fields: Fields, path: string): readonly NliLabel[] | null {
  const given = fields.any('labels');
  if (given === undefined) return null;
  const labels = nliLabels(given);
  if (labels !== null) return labels;
  throw new ModelsProblem(
    `${path}.labels must name each output once, in order: entailment, contradiction and, with three, neutral`,
  );
}

function readChecksums(files: Fields | undefined, path: string): ReadonlyMap<string, string> {
  const names = files?.names() ?? [];
  return new Map(
    names.map((name) => {
      const checksum = files?.text(name) ?? '';
      if (!/^[0-9a-f]{64}$/.test(checksum)) {
        throw new ModelsProblem(`${path} has no SHA-256 in 64 hexadecimal digits for ${name}`);
      }
      return [inFolder(name, path), checksum];
    }),
  );
}

/** @throws ModelsProblem for a path outside of the model's folder */
export function inFolder(name: string, path: string): string {
  const parts = name.split('/');
  if (name.includes('\\') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new ModelsProblem(`${path} names a file outside of its folder`);
  }
  return name;
}
