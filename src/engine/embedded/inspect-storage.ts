// The storage of indexes in a data directory, as checks read it while no server runs.
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StorageInspection } from '../port/storage-inspection.ts';
import { readDescription } from './storage/index-description.ts';
import { indexFolder } from './storage/index-files.ts';
import { checkIndex } from './storage/integrity/check-index.ts';

export function inspectStorage(dataDir: string): StorageInspection {
  const placeOf = (indexId: string) => indexFolder(dataDir, indexId);
  const root = dirname(placeOf('any'));
  return {
    ids: () => {
      if (!existsSync(root)) return [];
      const entries = readdirSync(root, { withFileTypes: true });
      return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
    },
    placeOf,
    description: (indexId) => readDescription(placeOf(indexId)),
    check: ({ id, dimension }) => checkIndex(placeOf(id), { indexId: id, dimension }),
  };
}
