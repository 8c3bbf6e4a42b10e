// The data directory: created at the first start, readable by its owner alone, and checked for write access before use.
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHIVES_PREFIX } from '../app/backups/archive-format.ts';
import type { Blobs } from '../blobs/port.ts';
import { ALL_DESCRIPTIONS_PREFIX } from '../domain/assistants/descriptions.ts';
import { ALL_FILES_PREFIX } from '../domain/assistants/file.ts';
import { contentOf } from '../domain/folder-content.ts';
import { syncFolder, syncMade } from '../platform/durable-files.ts';
import type { Settings } from './settings.ts';
import { StartProblem } from './start-problems.ts';

const OWNER_ONLY = 0o700;
/** The permissions that new files never get: the libraries that write data request a world-readable mode. */
const OTHERS_RIGHTS = 0o077;

/** The catalog's file in a data directory. */
export const CATALOG_FILE = 'catalog.sqlite';
/** Stands in a data directory whose catalog is on PostgreSQL. */
export const CATALOG_MARK = 'catalog.json';
export const INDEXES_FOLDER = 'indexes';

/** What a recovery keeps until it has ended. */
export const RECOVERING_FOLDER = 'recovering';

/** Backups, uploaded files and what describes them, where no other storage is set. */
export const BLOBS_FOLDER = 'blobs';

/** True where a recovery has put its catalog in place, which ends it, but was killed before it removed what it kept. */
export function hasRecovered(dataDir: string): boolean {
  const folder = join(dataDir, RECOVERING_FOLDER);
  return (
    existsSync(folder) && existsSync(join(dataDir, CATALOG_FILE)) && !existsSync(join(folder, CATALOG_FILE))
  );
}

/** Removes what a recovery kept that has ended. */
export function removeRecovering(dataDir: string): void {
  rmSync(join(dataDir, RECOVERING_FOLDER), { recursive: true, force: true });
  syncFolder(dataDir);
}

/** What only a catalog that has been there has put into the storage of blobs. */
const KEPT_PREFIXES = [ARCHIVES_PREFIX, ALL_FILES_PREFIX, ALL_DESCRIPTIONS_PREFIX];

type OrphanSettings = Pick<Settings, 'dataDir' | 'databaseUrl' | 'blobs'>;

/**
 * A new catalog beside indexes, backups or files would hide them: somebody has lost theirs.
 * @throws StartProblem, BlobsUnavailable
 */
export async function assertNotOrphaned(
  settings: OrphanSettings,
  openBlobs: () => Promise<Pick<Blobs, 'list' | 'close'>>,
): Promise<void> {
  const { dataDir } = settings;
  if (hasRecovered(dataDir)) removeRecovering(dataDir);
  if (existsSync(join(dataDir, RECOVERING_FOLDER)))
    throw new StartProblem(`a recovery into ${dataDir} has not ended. Run \`pinyon recover\` again.`);
  if (existsSync(join(dataDir, CATALOG_MARK))) return;
  const path = join(dataDir, CATALOG_FILE);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const indexes = join(dataDir, INDEXES_FOLDER);
  if (existsSync(indexes) && contentOf(readdirSync(indexes)).some((name) => !name.startsWith('.')))
    throw orphaned(settings, `${dataDir} has indexes`, 'PINYON_DATA_DIR to another folder');
  // A shared catalog may know what is in a shared bucket.
  if (settings.databaseUrl !== null && settings.blobs !== null) return;
  if (await hasKept(openBlobs))
    throw orphaned(
      settings,
      `the storage of blobs (${textOf(settings)}) has backups or files of assistants`,
      `${settings.blobs === null ? 'PINYON_DATA_DIR' : 'PINYON_BLOBS'} to another place`,
    );
}

async function hasKept(openBlobs: () => Promise<Pick<Blobs, 'list' | 'close'>>): Promise<boolean> {
  const blobs = await openBlobs();
  try {
    for (const prefix of KEPT_PREFIXES) if ((await blobs.list(prefix, null, 1)).items.length > 0) return true;
    return false;
  } finally {
    await blobs.close();
  }
}

function textOf({ blobs, dataDir }: OrphanSettings): string {
  return blobs?.kind === 's3'
    ? `s3://${blobs.bucket}/${blobs.prefix}`
    : (blobs?.path ?? join(dataDir, BLOBS_FOLDER));
}

function orphaned({ dataDir }: OrphanSettings, found: string, elsewhere: string): StartProblem {
  return new StartProblem(
    `${join(dataDir, CATALOG_FILE)} is missing or empty, but ${found}, which a new catalog would not know. ` +
      'Restore catalog.sqlite from a copy of the data directory, bring them into a new catalog with ' +
      `\`pinyon check --adopt\`, or set ${elsewhere}.`,
  );
}

/** @throws StartProblem when the folder cannot be created or written */
export async function prepareDataDir(path: string): Promise<void> {
  process.umask(OTHERS_RIGHTS);
  try {
    const made = await mkdir(path, { recursive: true, mode: OWNER_ONLY });
    if (made !== undefined) syncMade(path, made);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StartProblem(
      `the data directory ${path} cannot be ${code === 'EACCES' ? 'written' : 'used'} (${code}). ` +
        'Set PINYON_DATA_DIR to a folder that this user may write.',
    );
  }
}
