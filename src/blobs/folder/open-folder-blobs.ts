// Blobs in a folder: a key is a path below it.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Blobs } from '../port.ts';
import { FolderBlobs } from './folder-blobs.ts';
import { sweepUnfinished } from './unfinished.ts';

/** Creates the folder if needed and removes half-written files. No other process may write there. */
export async function openFolderBlobs(folder: string): Promise<Blobs> {
  const root = resolve(folder);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await sweepUnfinished(root);
  return new FolderBlobs(root);
}
