// Tells the folder of blobs from the bare mount point of its disk, and from another disk in its place.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../domain/ids.ts';
import { BlobsUnavailable } from '../port.ts';
import { isCode, syncFolder, unavailable } from './disk.ts';
import { nameOnce } from './name-once.ts';
import { unfinishedPath } from './unfinished.ts';

/** Keys never start with a dot, so no blob has such a path. */
export const IDENTITY_FILE = '.pinyon-blobs';

export class FolderIdentity {
  readonly #path: string;
  /** Null where it is not known. */
  readonly #id: string | null;

  private constructor(path: string, id: string | null) {
    this.#path = path;
    this.#id = id;
  }

  /** @param isOptional whether a folder without one, in which none can be made, is taken as it is */
  static async of(root: string, { isOptional }: { readonly isOptional: boolean }): Promise<FolderIdentity> {
    const path = join(root, IDENTITY_FILE);
    const id = await idIn(path);
    if (id === null && !isOptional) throw new Error(`${IDENTITY_FILE} is gone again`);
    return new FolderIdentity(path, id);
  }

  /** @throws BlobsUnavailable where the folder is not the one that was opened */
  async check(): Promise<void> {
    if (this.#id === null) return;
    const id = await idIn(this.#path).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (id === this.#id) return;
    throw new BlobsUnavailable(
      `The folder of blobs is another one than at the start of the server: ${this.#path} is ${id === null ? 'gone' : 'that of another folder'}. Is its disk mounted?`,
    );
  }
}

/** Null where there is none. */
async function idIn(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Makes one where there is none. The folder of unfinished files must be there. */
export async function makeIdentity(root: string): Promise<void> {
  const path = join(root, IDENTITY_FILE);
  if ((await idIn(path)) !== null) return;
  const unfinished = unfinishedPath(root);
  try {
    await writeFile(unfinished, newId(), { flush: true });
    // The name has the whole id from the first, and stays that of another process which was faster.
    await nameOnce(root, unfinished, path);
    await syncFolder(root);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}
