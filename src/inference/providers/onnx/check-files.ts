// Verifies the files of a local model, and derives its revision from them.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { ModelsProblem } from '../../settings/fields.ts';
import type { OnnxManifest } from './manifest.ts';

export const TOKENIZER_FILE = 'tokenizer.json';
const TOKENIZER_CONFIG_FILE = 'tokenizer_config.json';
const REVISION_CHARS = 12;

/** Hexadecimal SHA-256 of a file, which is read as a stream. */
export async function fileChecksum(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** Returns the files that a model needs and its folder lacks. */
export function missingFiles(folder: string, { file, checksums }: OnnxManifest): readonly string[] {
  const needed = new Set([file, TOKENIZER_FILE, ...checksums.keys()]);
  return [...needed].filter((name) => !existsSync(join(folder, name)));
}

/** @throws ModelsProblem naming a missing file */
export function refuseMissingFiles(folder: string, manifest: OnnxManifest): void {
  const [missing] = missingFiles(folder, manifest);
  if (missing !== undefined) throw new ModelsProblem(`the file ${join(folder, missing)} is missing`);
}

/**
 * Derives the revision from every file that affects vectors, and from how the manifest uses them.
 * @throws ModelsProblem naming a file whose checksum differs from the manifest's
 */
export async function revisionOf(folder: string, manifest: OnnxManifest): Promise<string> {
  const { file, checksums, pooling, normalize, prefixes } = manifest;
  // Large models store their weights beside the graph, by convention under one of these names.
  const used = [file, `${file}_data`, `${file}.data`, TOKENIZER_FILE, TOKENIZER_CONFIG_FILE];
  const names = [...new Set([...used, ...checksums.keys()])].filter((name) => existsSync(join(folder, name)));
  const revision = createHash('sha256').update(JSON.stringify([pooling, normalize, prefixes]));
  for (const name of names.sort()) {
    const checksum = await fileChecksum(join(folder, name));
    const expected = checksums.get(name);
    if (expected !== undefined && expected !== checksum) {
      throw new ModelsProblem(
        `the file ${join(folder, name)} is damaged: its SHA-256 is not the one in the manifest. Remove it and pull the model again`,
      );
    }
    revision.update(`${name} ${checksum}\n`);
  }
  return revision.digest('hex').slice(0, REVISION_CHARS);
}
