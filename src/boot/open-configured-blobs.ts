// Opens the storage of blobs that the settings name.
import { join } from 'node:path';
import { openBlobs } from '../blobs/open-blobs.ts';
import type { Blobs } from '../blobs/port.ts';
import { BLOBS_FOLDER } from './data-dir.ts';
import type { Settings } from './settings.ts';

export function openConfiguredBlobs(settings: Settings): Promise<Blobs> {
  const { blobs, dataDir, s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey } = settings;
  const hasKeys = s3AccessKeyId !== null && s3SecretAccessKey !== null;
  return openBlobs(blobs ?? { kind: 'folder', path: join(dataDir, BLOBS_FOLDER) }, {
    endpoint: s3Endpoint,
    region: s3Region,
    credentials: hasKeys ? { accessKeyId: s3AccessKeyId, secretAccessKey: s3SecretAccessKey } : null,
  });
}
