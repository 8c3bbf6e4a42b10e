// Opens the storage of blobs that the settings name.
import { join, resolve } from 'node:path';
import { openFolderBlobs } from '../blobs/folder/open-folder-blobs.ts';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Blobs } from '../blobs/port.ts';
import type { StorageLocation } from '../storage-locations/port.ts';
import { BLOBS_FOLDER } from './data-dir.ts';
import type { Settings } from './settings.ts';

/** Where the blobs lie whose keys begin with `prefix`, which has no slash at its end. */
export function blobsLocation(
  { blobs, dataDir }: Pick<Settings, 'blobs' | 'dataDir'>,
  prefix: string,
): StorageLocation {
  if (blobs?.kind === 's3')
    return { ...blobs, prefix: blobs.prefix === '' ? prefix : `${blobs.prefix}/${prefix}` };
  return { kind: 'file', path: resolve(blobs?.path ?? join(dataDir, BLOBS_FOLDER), prefix) };
}

export function openConfiguredBlobs(settings: Settings): Promise<Blobs> {
  const { blobs, dataDir, s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey } = settings;
  const hasKeys = s3AccessKeyId !== null && s3SecretAccessKey !== null;
  // The lock of the data folder keeps others out of this one.
  if (blobs === null) return openFolderBlobs(join(dataDir, BLOBS_FOLDER));
  return openBlobs(blobs, {
    endpoint: s3Endpoint,
    region: s3Region,
    credentials: hasKeys ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } : null,
  });
}
