import { QUOTA_MAX } from '../../domain/quotas.ts';
import { wholeNumber } from '../setting-kinds.ts';
import { type Setting, setting } from './setting.ts';

const bound = wholeNumber(0, QUOTA_MAX);
const NONE = '`0` for no limit. Administrators can set another one for a project (`pinyon quota set`).';

export const QUOTA_SETTINGS = {
  projectRequestsPerSecond: setting('PINYON_PROJECT_REQUESTS_PER_SECOND', bound, {
    preset: '0',
    about: `Requests that the API keys of a project may send each second; others get 429. ${NONE}`,
  }),
  projectWriteMegabytesPerSecond: setting('PINYON_PROJECT_WRITE_MEGABYTES_PER_SECOND', bound, {
    preset: '0',
    about: `Megabytes of writes to indexes that a project may send each second; others get 429. ${NONE}`,
  }),
  projectRecordsMax: setting('PINYON_PROJECT_RECORDS_MAX', bound, {
    preset: '0',
    about: `Records that the indexes of a project may have, counted every five seconds; further writes get 429. ${NONE}`,
  }),
  projectStorageMegabytesMax: setting('PINYON_PROJECT_STORAGE_MEGABYTES_MAX', bound, {
    preset: '0',
    about: `Megabytes that the indexes of a project may take on disk, counted every five seconds; further writes get 429. ${NONE}`,
  }),
  projectIndexesMax: setting('PINYON_PROJECT_INDEXES_MAX', bound, {
    preset: '0',
    about: `Indexes that a project may have. ${NONE}`,
  }),
  projectFilesMax: setting('PINYON_PROJECT_FILES_MAX', bound, {
    preset: '0',
    about: `Files that the assistants of a project may have. ${NONE}`,
  }),
  keyRequestsPerSecond: setting('PINYON_KEY_REQUESTS_PER_SECOND', bound, {
    preset: '0',
    about: `Requests that an API key may send each second; others get 429. ${NONE.replace('project', 'key')}`,
  }),
  keyWriteMegabytesPerSecond: setting('PINYON_KEY_WRITE_MEGABYTES_PER_SECOND', bound, {
    preset: '0',
    about: `Megabytes of writes to indexes that an API key may send each second; others get 429. ${NONE.replace('project', 'key')}`,
  }),
} as const satisfies Record<string, Setting<unknown>>;
