// Opens the source of an import: a local folder or S3-compatible storage.
import { openFolderSource } from './folder-source.ts';
import { openPublicBucket, type PublicStorage } from './public-bucket.ts';
import { openS3Source, type S3Access } from './s3-source.ts';
import { type Source, SourceProblem } from './source.ts';
import { isUnder, parseStorageUri, type StorageLocation } from './storage-uri.ts';

/** What the server may read from, as plain data that can be sent to workers. */
export interface SourceRules {
  readonly roots: readonly StorageLocation[];
  readonly s3: S3Access;
  /** Storage whose public buckets may be read though no root names them. If absent, none is. */
  readonly publicStorage?: PublicStorage | null;
}

/** @throws SourceProblem when the folder or bucket may not be read or does not exist */
export async function openSource(uri: string, rules: SourceRules): Promise<Source> {
  const { roots, s3, publicStorage = null } = rules;
  const place = parseStorageUri(uri);
  // Also checked when the import was started, but the settings may have changed since.
  if (!isUnder(place, roots)) {
    // Without credentials, which are for the roots alone.
    if (place.kind === 's3' && publicStorage !== null) return openPublicBucket(place, publicStorage);
    throw new SourceProblem(`This server no longer imports from ${uri}.`);
  }
  if (place.kind === 's3') return openS3Source(place, s3);
  const folders = roots.flatMap((root) => (root.kind === 'file' ? [root.path] : []));
  return openFolderSource({ path: place.path, roots: folders, uri });
}
