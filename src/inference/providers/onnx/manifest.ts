// The file beside a local model that says what the model's own files do not: pooling, prefixes, limits, checksums.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fields, ModelsProblem } from '../../settings/fields.ts';
import {
  type ModelAttributes,
  type Prefixes,
  readModelAttributes,
  readPrefixes,
} from '../../settings/model-attributes.ts';

export const MANIFEST_FILE = 'pinyon-model.json';

/** How one vector is made from those of the tokens; `none` where the model does it. */
export const POOLINGS = ['mean', 'cls', 'last', 'none'] as const;
export type Pooling = (typeof POOLINGS)[number];

export interface OnnxManifest {
  readonly attributes: ModelAttributes;
  /** Relative to the folder. */
  readonly file: string;
  readonly pooling: Pooling;
  readonly normalize: boolean;
  readonly prefixes: Prefixes;
  /** Positions of the model, its own marks included. */
  readonly maxTokens: number;
  /** SHA-256 in hexadecimal, by path in the folder; files that are not listed are not checked. */
  readonly checksums: ReadonlyMap<string, string>;
}

const FILE_DEFAULT = 'onnx/model.onnx';
const TOKENS_DEFAULT = 512;

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
    maxTokens: attributes.maxTokens ?? TOKENS_DEFAULT,
    checksums: readChecksums(fields.object('files'), path),
  };
  // Where it comes from is for people.
  fields.text('source');
  fields.refuseOthers();
  return manifest;
}

function parsed(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ModelsProblem(`there is no file ${path}, which says how to use the model`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelsProblem(`${path} is not JSON`);
  }
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

/** @throws ModelsProblem for a path that leads out of the model's folder */
export function inFolder(name: string, place: string): string {
  const parts = name.split('/');
  if (name.includes('\\') || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new ModelsProblem(`${place} names a file outside of its folder`);
  }
  return name;
}
