// Blobs in a folder: a key is a path below it.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Blobs } from '../port.ts';
import { unavailable } from './disk.ts';
import { FolderBlobs } from './folder-blobs.ts';
import { FolderIdentity } from './folder-identity.ts';
import { sweepUnfinished } from './unfinished.ts';

/** Long enough for whatever another process is still writing: it writes on all the time. */
const ORPHAN_MS = 86_400_000;

/**
 * Creates the folder if needed and removes half-written files.
 * @param isShared whether other processes may write there, whose half-written files stay unless they are a day old
 * @throws BlobsUnavailable when this user may not write there, or the disk fails
 */
export async function openFolderBlobs(
  folder: string,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<Blobs> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await sweepUnfinished(root, isShared ? Date.now() - ORPHAN_MS : Number.POSITIVE_INFINITY);
    return new FolderBlobs(root, await FolderIdentity.of(root));
  } catch (error) {
    throw unavailable(error);
  }
}
