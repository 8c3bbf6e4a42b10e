// Models from a plain web server or a folder: copies of folders that were pulled elsewhere, with their manifests.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { inFolder, MANIFEST_FILE } from '../providers/onnx/manifest.ts';
import { ModelsProblem } from '../settings/fields.ts';
import { openUrl } from './open-url.ts';
import type { ModelSource, OpenPiece, SourceFile } from './source.ts';

const ASK_MS = 30_000;
const MANIFEST_CHARS_MAX = 1_000_000;

/** A place with a folder for each model. */
interface Place {
  readonly name: string;
  /** Null where there is no such file. */
  readonly text: (path: string) => Promise<string | null>;
  readonly bytesOf: (path: string) => Promise<number>;
  readonly open: OpenPiece;
}

/** Null when the server has no folder with a manifest for the model. @throws ModelsProblem */
export function mirrorSource(base: string, name: string): Promise<ModelSource | null> {
  return sourceAt(webPlace(`${base.replace(/\/+$/, '')}/${encodeURIComponent(name)}`), name);
}

/** @throws ModelsProblem */
export async function folderSource(base: string, name: string): Promise<ModelSource> {
  const source = await sourceAt(folderPlace(join(base, name)), name);
  if (source === null) throw new ModelsProblem(`${join(base, name, MANIFEST_FILE)} is missing`);
  return source;
}

async function sourceAt(place: Place, name: string): Promise<ModelSource | null> {
  const text = await place.text(MANIFEST_FILE);
  const json = text === null ? null : parsed(text);
  if (json === null) return null;
  const { files, source, ...manifest } = json;
  if (!isJsonObject(files) || Object.keys(files).length === 0) {
    throw new ModelsProblem(`the manifest of ${name} at ${place.name} lists no files with their SHA-256`);
  }
  const listed: SourceFile[] = [];
  for (const [path, hex] of Object.entries(files)) {
    if (typeof hex !== 'string' || !/^[0-9a-f]{64}$/.test(hex)) {
      throw new ModelsProblem(`the manifest of ${name} at ${place.name} has no SHA-256 for ${path}`);
    }
    const bytes = await place.bytesOf(inFolder(path, MANIFEST_FILE));
    listed.push({ path, bytes, checksum: { kind: 'sha256', hex } });
  }
  const origin = typeof source === 'string' ? source : place.name;
  return { origin, files: listed, open: place.open, manifest };
}

function parsed(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

function webPlace(url: string): Place {
  const at = (path: string) => `${url}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return {
    name: new URL(url).host,
    text: async (path) => {
      const response = await asked(at(path), {});
      const isFound =
        response.ok && Number(response.headers.get('content-length') ?? 0) <= MANIFEST_CHARS_MAX;
      if (isFound) return await response.text();
      await response.body?.cancel();
      return null;
    },
    bytesOf: async (path) => {
      const { ok, headers } = await asked(at(path), { method: 'HEAD' });
      const bytes = Number(headers.get('content-length') ?? Number.NaN);
      if (ok && Number.isSafeInteger(bytes)) return bytes;
      throw new ModelsProblem(`${at(path)} is missing, or its server does not tell its size`);
    },
    open: ({ path, ...piece }) => openUrl({ url: at(path), ...piece }),
  };
}

async function asked(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...options, signal: AbortSignal.timeout(ASK_MS) });
  } catch {
    throw new ModelsProblem(`${new URL(url).host} cannot be reached`);
  }
}

function folderPlace(folder: string): Place {
  return {
    name: folder,
    text: (path) => readFile(join(folder, path), 'utf8').catch(() => null),
    bytesOf: async (path) => {
      const found = await stat(join(folder, path)).catch(() => null);
      if (found === null) throw new ModelsProblem(`${join(folder, path)} is missing`);
      return found.size;
    },
    open: async ({ path, from }) => {
      const stream = Readable.toWeb(createReadStream(join(folder, path), { start: from }));
      return new Response(stream as ReadableStream<Uint8Array>, { status: from > 0 ? 206 : 200 });
    },
  };
}
