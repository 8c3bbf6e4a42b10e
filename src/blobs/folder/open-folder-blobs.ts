// Blobs in a folder: a key is a path below it.
import { mkdir, readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { contentOf } from '../../domain/folder-content.ts';
import type { Blobs } from '../port.ts';
import { isCode, unavailable } from './disk.ts';
import { FolderBlobs } from './folder-blobs.ts';
import { FolderIdentity, makeIdentity } from './folder-identity.ts';
import { sweepUnfinished } from './unfinished.ts';

/** Long enough for whatever another process is still writing: it writes on all the time. */
const ORPHAN_MS = 86_400_000;

/** Of a folder in which this user, or nobody, may write: a snapshot, or a disk that is mounted for reading. */
const REFUSED_WRITES = ['EROFS', 'EACCES', 'EPERM'];

/**
 * Creates the folder if needed and removes half-written files. A folder that has blobs may be one that can only be read:
 * every write fails then.
 * @param isShared whether other processes may write there, whose half-written files stay unless they are a day old
 * @throws BlobsUnavailable when this user may not write into an empty folder, or the disk fails
 */
export async function openFolderBlobs(
  folder: string,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<Blobs> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const sinceMs = isShared ? Date.now() - ORPHAN_MS : Number.POSITIVE_INFINITY;
    const canWrite = await isPrepared(root, sinceMs);
    return new FolderBlobs(root, await FolderIdentity.of(root, { isOptional: !canWrite }));
  } catch (error) {
    throw unavailable(error);
  }
}

/** False where the folder can only be read. An empty one may be the bare mount point of a disk that is away. */
async function isPrepared(root: string, sinceMs: number): Promise<boolean> {
  try {
    await sweepUnfinished(root, sinceMs);
    await makeIdentity(root);
    return true;
  } catch (error) {
    const isRefused = REFUSED_WRITES.some((code) => isCode(error, code));
    if (isRefused && contentOf(await readdir(root)).some((name) => !name.startsWith('.'))) return false;
    throw error;
  }
}
