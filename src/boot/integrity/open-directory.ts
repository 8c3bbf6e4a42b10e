// Opens a data directory for checks and repairs while no server runs.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Blobs } from '../../blobs/port.ts';
import { type CatalogReading, readCatalog } from '../../catalog/sqlite/read-catalog.ts';
import { EXIT_FAILED, type Io } from '../../cli/command.ts';
import { inspectStorage } from '../../engine/embedded/inspect-storage.ts';
import type { StorageInspection } from '../../engine/port/storage-inspection.ts';
import { assertOwner } from '../assert-owner.ts';
import { assertNotMarked } from '../catalog/catalog-mark.ts';
import { openStoppedCatalog } from '../catalog/open-configured-catalog.ts';
import { CATALOG_FILE, prepareDataDir } from '../data-dir.ts';
import { openConfiguredBlobs } from '../open-configured-blobs.ts';
import { readSettings } from '../read-settings.ts';
import type { Settings } from '../settings.ts';
import { StartProblem } from '../start-problems.ts';

export interface OpenDirectory {
  readonly dataDir: string;
  readonly reading: CatalogReading;
  readonly blobs: Blobs;
  readonly storage: StorageInspection;
  close(): Promise<void>;
}

/**
 * @param isMade whether a missing directory is made where blobs are elsewhere, as for what is brought back from them
 * @throws SettingsProblem, StartProblem, CliProblem for root in another user's directory, CatalogOpenError in-use
 */
export async function openDirectory(
  environment: Io['environment'],
  { isMade = false } = {},
): Promise<OpenDirectory> {
  const settings = readSettings(environment);
  const { dataDir } = settings;
  if (isMade && settings.blobs !== null) await prepareDataDir(dataDir);
  if (!existsSync(dataDir))
    throw new StartProblem(`there is no data directory at ${dataDir}. Set PINYON_DATA_DIR.`);
  assertOwner(dataDir);
  const reading = await readingOf(settings);
  try {
    const blobs = await openConfiguredBlobs(settings);
    const close = async () => {
      await blobs.close();
      await reading.close();
    };
    return { dataDir, reading, blobs, storage: inspectStorage(dataDir), close };
  } catch (error) {
    await reading.close();
    throw error;
  }
}

/** A catalog on PostgreSQL is read where it is: checks and repairs do not change it. */
async function readingOf(settings: Settings): Promise<CatalogReading> {
  if (settings.databaseUrl === null) {
    assertNotMarked(settings.dataDir);
    return readCatalog(join(settings.dataDir, CATALOG_FILE));
  }
  const catalog = await openStoppedCatalog(settings, () => process.exit(EXIT_FAILED));
  return { catalog, problem: null, close: () => catalog.close() };
}
