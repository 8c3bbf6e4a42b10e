// Downloads a real model to the folder of local models, and installs it only after verification.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANIFEST_FILE } from '../providers/onnx/manifest.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { downloadFile } from './download-file.ts';
import { HUB_URL, type HubFile, listRepository } from './hub.ts';
import { RECIPES, type Recipe } from './recipes.ts';

export interface PullProgress {
  readonly file: string;
  readonly bytes: number;
  readonly bytesTotal: number;
}

export interface PullOptions {
  readonly modelsDir: string;
  /** Address of a hub or a mirror. */
  readonly hub?: string;
  readonly recipes?: ReadonlyMap<string, Recipe>;
  readonly onProgress?: (progress: PullProgress) => void;
  readonly pauseMs?: number;
}

const COMMIT_CHARS = 12;

/**
 * Resolves to the model's folder. The next pull continues an interrupted one.
 * @throws ModelsProblem with a message for the operator
 */
export async function pullModel(name: string, options: PullOptions): Promise<string> {
  const { modelsDir, recipes = RECIPES } = options;
  const recipe = recipes.get(name);
  if (recipe === undefined) {
    throw new ModelsProblem(`no recipe for ${name}; recipes exist for ${[...recipes.keys()].join(', ')}`);
  }
  const folder = join(modelsDir, name);
  if (existsSync(folder))
    throw new ModelsProblem(`${folder} already exists. Remove it to pull the model again`);
  const hub = (options.hub ?? HUB_URL).replace(/\/+$/, '');
  const { commit, files } = await listRepository(hub, recipe.repository);
  const selected = recipe.files.map((path) => fileNamed(path, files, recipe.repository));
  // Files of two commits must not mix in one folder.
  const partial = join(modelsDir, `${name}.${commit.slice(0, COMMIT_CHARS)}.partial`);
  await mkdir(partial, { recursive: true });
  await refuseSmallDisk(modelsDir, selected);
  const checksums: Record<string, string> = {};
  for (const file of selected) {
    checksums[file.path] = await downloadFile({
      file,
      source: { hub, repository: recipe.repository, commit },
      target: join(partial, file.path),
      onProgress: (bytes) => options.onProgress?.({ file: file.path, bytes, bytesTotal: file.bytes }),
      ...(options.pauseMs === undefined ? {} : { pauseMs: options.pauseMs }),
    });
  }
  const manifest = { ...recipe.manifest, source: `${recipe.repository} ${commit}`, files: checksums };
  await writeFile(join(partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(partial, folder);
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

function fileNamed(path: string, files: ReadonlyMap<string, HubFile>, repository: string): HubFile {
  const file = files.get(path);
  if (file === undefined) throw new ModelsProblem(`${repository} has no file ${path} any more`);
  return file;
}

async function refuseSmallDisk(modelsDir: string, files: readonly HubFile[]): Promise<void> {
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
