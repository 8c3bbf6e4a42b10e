// Opens the destination of an export: a folder of this machine or a bucket.
import { lstat, realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Blobs } from '../blobs/port.ts';
import type { SourceRules } from './open-source.ts';
import { isPrivateHost, publicLookup } from './public-addresses.ts';
import { SourceProblem } from './source.ts';
import { isUnder, parseStorageUri } from './storage-uri.ts';

/** @throws SourceProblem if the server may not write there */
export async function openExportLocation(uri: string, { roots, s3 }: SourceRules): Promise<Blobs> {
  const place = parseStorageUri(uri);
  // Also checked when the export was started, but the settings may have changed since.
  if (!isUnder(place, roots)) throw new SourceProblem(`This server no longer exports to ${uri}.`);
  if (place.kind === 's3') {
    if (!s3.mayBePrivate && s3.endpoint !== null) await refusePrivate(new URL(s3.endpoint).hostname);
    return openBlobs(place, s3);
  }
  const folders = roots.flatMap((root) => (root.kind === 'file' ? [root.path] : []));
  await requireInside(place.path, folders, uri);
  return openBlobs({ kind: 'folder', path: place.path }, s3);
}

async function refusePrivate(host: string): Promise<void> {
  const isPrivate =
    isPrivateHost(host) ||
    (await new Promise((resolve) => publicLookup(host, {}, (error) => resolve(error?.code === 'EPRIVATE'))));
  if (isPrivate) {
    throw new SourceProblem('The storage is in a private network. Set PINYON_PRIVATE_STORAGE to allow it.');
  }
}

async function requireInside(path: string, folders: readonly string[], uri: string): Promise<void> {
  const existing = await nearestFolder(path);
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => null)));
  const isInside = allowed.some(
    (root) => root !== null && (existing === root || existing.startsWith(`${root}${sep}`)),
  );
  if (!isInside) {
    throw new SourceProblem(
      `${uri} is outside the folders that this server exports to, or they are missing.`,
    );
  }
}

/** The folder or its nearest existing ancestor, with links resolved. */
async function nearestFolder(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    const isThere = await lstat(at).then(
      () => true,
      () => false,
    );
    if (isThere || at === dirname(at)) return realpath(at);
  }
}
