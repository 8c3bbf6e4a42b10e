// Downloads one file of a model: resumes where an earlier attempt stopped, and verifies the checksum.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileChecksum } from '../providers/onnx/check-files.ts';
import { ModelsProblem } from '../settings/fields.ts';
import type { OpenPiece, SourceFile } from './source.ts';

/** Attempts in a row without any data. */
const EMPTY_TRIES_MAX = 4;
const IDLE_MS = 30_000;
const PAUSE_MS = 1_000;
const NO_SPACE = 'ENOSPC';

export interface DownloadOptions {
  readonly file: SourceFile;
  readonly open: OpenPiece;
  /** Path of the file; the partial download is beside it. */
  readonly target: string;
  readonly onProgress: (bytes: number) => void;
  /** Pause after a failed attempt, in milliseconds. */
  readonly pauseMs?: number;
}

/** Resolves to the SHA-256 of the file. @throws ModelsProblem */
export async function downloadFile(options: DownloadOptions): Promise<string> {
  const { file, target, pauseMs = PAUSE_MS } = options;
  const part = `${target}.part`;
  await mkdir(dirname(target), { recursive: true });
  if ((await sizeOf(target)) === file.bytes) return await verified(target, file);
  let emptyTries = 0;
  for (;;) {
    const before = await sizeOf(part);
    if (before === file.bytes) break;
    if (before > file.bytes) await rm(part, { force: true });
    const problem = await fetchMore({ ...options, part });
    const after = await sizeOf(part);
    emptyTries = after > before ? 0 : emptyTries + 1;
    if (problem !== undefined && emptyTries >= EMPTY_TRIES_MAX) {
      throw new ModelsProblem(
        `${file.path} cannot be downloaded: ${problem}. Run the command again to resume`,
      );
    }
    if (problem !== undefined) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const checksum = await verified(part, file);
  await rename(part, target);
  return checksum;
}

/** Appends what arrives; returns the reason if it was interrupted. @throws ModelsProblem for lasting errors */
async function fetchMore(options: DownloadOptions & { readonly part: string }): Promise<string | undefined> {
  const { file, open: openPiece, part, onProgress } = options;
  const idle = new AbortController();
  let timer = setTimeout(() => idle.abort(), IDLE_MS);
  const from = await sizeOf(part);
  try {
    const response = await openPiece({ path: file.path, from, signal: idle.signal });
    const isPiece = response.status === 206;
    const handle = await open(part, isPiece ? 'a' : 'w');
    try {
      let bytes = isPiece ? from : 0;
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer);
        timer = setTimeout(() => idle.abort(), IDLE_MS);
        bytes += chunk.byteLength;
        if (bytes > file.bytes) throw new ModelsProblem(`${file.path} is longer than its source said`);
        await handle.write(chunk);
        onProgress(bytes);
      }
      await handle.sync();
      return bytes === file.bytes ? undefined : 'the connection ended early';
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ModelsProblem) throw error;
    if (error instanceof Error && 'code' in error && error.code === NO_SPACE) {
      throw new ModelsProblem('the disk is full');
    }
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}

async function verified(path: string, { path: name, bytes, checksum }: SourceFile): Promise<string> {
  const sha256 = await fileChecksum(path);
  const found = checksum.kind === 'sha256' ? sha256 : await gitChecksum(path, bytes);
  if (found === checksum.hex) return sha256;
  await rm(path, { force: true });
  throw new ModelsProblem(`${name} is damaged: its checksum is wrong. Run the command again`);
}

/** The SHA-1 by which git names a file. */
async function gitChecksum(path: string, bytes: number): Promise<string> {
  const hash = createHash('sha1').update(`blob ${bytes}\0`);
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
