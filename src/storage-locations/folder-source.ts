// Reads files of a local folder. It does not follow symbolic links, so that nothing outside the folder is ever read.
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import {
  checkedFiles,
  FILES_MAX,
  type OpenFile,
  type Source,
  type SourceFile,
  SourceProblem,
  SourceUnavailable,
} from './source.ts';

const DEPTH_MAX = 8;

export interface FolderOptions {
  readonly path: string;
  /** Allowed folders, one of which must contain it after links are resolved. */
  readonly roots: readonly string[];
  /** Name of the folder in messages. */
  readonly uri: string;
}

/** @throws SourceProblem when the folder does not exist below one of the roots */
export async function openFolderSource({ path, roots, uri }: FolderOptions): Promise<Source> {
  const real = await realFolder(path, uri);
  const allowed = await Promise.all(roots.map((root) => realpath(root).catch(() => null)));
  if (!allowed.some((root) => root !== null && (real === root || real.startsWith(withSlash(root))))) {
    throw new SourceProblem(`${uri} is outside the folders this server imports from.`);
  }
  return new FolderSource(real, uri);
}

async function realFolder(path: string, uri: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await lstat(real)).isDirectory()) return real;
  } catch (error) {
    throw new SourceProblem(`Folder ${uri} does not exist, or this server cannot read it.`, error);
  }
  throw new SourceProblem(`${uri} is not a folder.`);
}

class FolderSource implements Source {
  readonly #root: string;
  readonly #uri: string;

  constructor(root: string, uri: string) {
    this.#root = root;
    this.#uri = uri;
  }

  async list(): Promise<readonly SourceFile[]> {
    const files: SourceFile[] = [];
    await this.#walk('', files, 0);
    return checkedFiles(files);
  }

  async open({ path, bytes, version }: SourceFile): Promise<OpenFile> {
    let handle: FileHandle;
    try {
      handle = await open(join(this.#root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    } catch (error) {
      throw new SourceProblem(`File ${path} cannot be read.`, error);
    }
    // The inode and times reveal a file that was replaced, or reached through a swapped folder.
    if (versionOf(await handle.stat()) !== version) {
      await handle.close();
      throw new SourceProblem(`File ${path} has changed during the import.`);
    }
    return new LocalFile(handle, { path, size: bytes });
  }

  async close(): Promise<void> {}

  async #walk(folder: string, files: SourceFile[], depth: number): Promise<void> {
    if (depth > DEPTH_MAX) throw new SourceProblem(`Folder ${folder} is nested too deeply.`);
    const entries = await this.#look(folder, (path) => readdir(path, { withFileTypes: true }));
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await this.#walk(path, files, depth + 1);
      else if (entry.isFile()) {
        const details = await this.#look(path, (at) => lstat(at));
        files.push({ path, bytes: details.size, version: versionOf(details) });
        if (files.length > FILES_MAX) return;
      } else throw new SourceProblem(`${path} is not a regular file; imports do not follow links.`);
    }
  }

  /** Messages name the folder as the caller wrote it, not where it is on this server. */
  async #look<Found>(path: string, how: (at: string) => Promise<Found>): Promise<Found> {
    try {
      return await how(join(this.#root, path));
    } catch (error) {
      const named = path === '' ? this.#uri : `${path} in ${this.#uri}`;
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // Bytes that are no UTF-8 were replaced when the folder was read, so nothing has that name.
      if (code === 'ENOENT' && path.includes('\ufffd'))
        throw new SourceProblem(`The name of ${named} is not UTF-8. Rename it.`, error);
      if (code === 'ENOENT') throw new SourceProblem(`${named} was removed during the import.`, error);
      if (code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR')
        throw new SourceProblem(`${named} cannot be read.`, error);
      throw new SourceUnavailable(`${named} cannot be read at present.`, error);
    }
  }
}

class LocalFile implements OpenFile {
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #path: string;

  constructor(handle: FileHandle, { path, size }: { readonly path: string; readonly size: number }) {
    this.#handle = handle;
    this.#path = path;
    this.size = size;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    for (let filled = 0; filled < bytes.byteLength; ) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.byteLength - filled, start + filled);
      if (bytesRead === 0)
        throw new SourceProblem(`File ${this.#path} has become shorter during the import.`);
      filled += bytesRead;
    }
    return bytes;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

function versionOf({ dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}-${ino}-${size}-${mtimeMs}`;
}

function withSlash(path: string): string {
  return path.endsWith(sep) ? path : `${path}${sep}`;
}
