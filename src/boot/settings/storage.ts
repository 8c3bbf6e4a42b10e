import { BadStorageUri, parseStorageUri, type StorageLocation } from '../../storage-locations/storage-uri.ts';
import {
  BadValue,
  blobPlace,
  flag,
  httpAddress,
  nodeSecret,
  oneOf,
  path,
  postgresUrl,
  publicAddress,
  type SettingKind,
  text,
  wholeNumber,
} from '../setting-kinds.ts';
import { optional, type Setting, setting } from './setting.ts';

const storageLocations: SettingKind<readonly StorageLocation[]> = {
  form: 'list of file:///FOLDER or s3://BUCKET/FOLDER, separated by commas',
  read: (value) => {
    try {
      return value.split(',').map((each) => parseStorageUri(each.trim()));
    } catch (error) {
      throw error instanceof BadStorageUri ? new BadValue(error.message) : error;
    }
  },
};

export const STORAGE_SETTINGS = {
  dataDir: setting('PINYON_DATA_DIR', path, {
    preset: './pinyon-data',
    about: 'Folder for all durable data. Only one process at a time may use it.',
  }),
  databaseUrl: optional(
    'PINYON_DATABASE_URL',
    postgresUrl,
    'Database on PostgreSQL 15 or newer for the catalog. If unset, the catalog is a file in the data folder. One server at a time may use it, unless `PINYON_PUBLIC_DOMAIN` is set and records are on PostgreSQL, too (`PINYON_ENGINE`), or each server has a `PINYON_NODE_ADDRESS`.',
  ),
  databaseConnections: setting('PINYON_DATABASE_CONNECTIONS', wholeNumber(2, 1_000), {
    preset: '10',
    about: 'Connections to that database at most, besides one that keeps other servers out.',
  }),
  nodeAddress: optional(
    'PINYON_NODE_ADDRESS',
    publicAddress,
    'Address at which other nodes reach this one. Set it on each of several servers that share `PINYON_DATABASE_URL` and have records in data folders of their own: each index is then on one of them, and the others forward to it.',
  ),
  nodeSecret: optional(
    'PINYON_NODE_SECRET',
    nodeSecret,
    'Secret by which these nodes know each other; the same on each.',
  ),
  blobs: optional(
    'PINYON_BLOBS',
    blobPlace,
    'Storage for backups and collections: a folder that nothing else writes to, or a bucket of S3-compatible storage. If unset, the folder `blobs` in the data folder.',
  ),
  backupForm: setting('PINYON_BACKUP_FORM', oneOf(['fast', 'portable']), {
    preset: 'fast',
    about:
      'Form of new backups: `fast`, with the search structures, for the engine that made them; or `portable`, records alone, for any engine. On PostgreSQL all are portable. Both are restored wherever the engine reads them.',
  }),
  recovery: setting('PINYON_RECOVERY', flag, {
    preset: 'false',
    about:
      'Ships everything that is written to the storage of `PINYON_BLOBS`, which must be elsewhere than the data folder, so that `pinyon recover` brings the whole installation back to any moment. Needs a history (`PINYON_HISTORY_HOURS`).',
  }),
  recoverySeconds: setting('PINYON_RECOVERY_SECONDS', wholeNumber(1, 3_600, 'seconds'), {
    preset: '5',
    about: 'How often it is shipped: how much a lost machine loses.',
  }),
  recoveryDays: setting('PINYON_RECOVERY_DAYS', wholeNumber(1, 3_650, 'days'), {
    preset: '7',
    about: 'How long moments can be returned to.',
  }),
  s3Endpoint: optional('PINYON_S3_ENDPOINT', httpAddress, 'Address of S3-compatible storage other than AWS.'),
  s3Region: setting('PINYON_S3_REGION', text, {
    preset: 'us-east-1',
    about: 'Region of the bucket.',
  }),
  s3AccessKeyId: optional(
    'PINYON_S3_ACCESS_KEY_ID',
    text,
    'Access key for the bucket. If unset, the credentials that AWS SDKs find in their environment.',
  ),
  s3SecretAccessKey: optional('PINYON_S3_SECRET_ACCESS_KEY', text, 'Secret of the access key.'),
  importFrom: optional(
    'PINYON_IMPORT_FROM',
    storageLocations,
    'Folders and buckets that bulk imports may read from, besides public buckets.',
  ),
  importPublic: setting('PINYON_IMPORT_PUBLIC', flag, {
    preset: 'true',
    about:
      'Lets bulk imports read public buckets of AWS S3, without credentials. Has no effect with `PINYON_S3_ENDPOINT`.',
  }),
  exportTo: optional(
    'PINYON_EXPORT_TO',
    storageLocations,
    'Folders and buckets that exports may write to. If unset, exports can only be downloaded.',
  ),
  privateStorage: setting('PINYON_PRIVATE_STORAGE', flag, {
    preset: 'false',
    about: 'Lets imports and exports use S3-compatible storage in private networks, this machine included.',
  }),
} as const satisfies Record<string, Setting<unknown>>;
