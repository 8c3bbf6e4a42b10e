// The mark of a data directory whose catalog is on PostgreSQL: it names the one catalog that knows its indexes.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog, SettingStore } from '../../catalog/port.ts';
import { contentOf } from '../../domain/folder-content.ts';
import { newId } from '../../domain/ids.ts';
import { CATALOG_FILE, CATALOG_MARK, INDEXES_FOLDER } from '../data-dir.ts';
import { StartProblem } from '../start-problems.ts';

/** The setting of the catalog with the id of its installation. */
const SETTING = 'installation';

/** Whether the directory has a catalog of its own, in SQLite. */
export function hasOwnCatalog(dataDir: string): boolean {
  return (statSync(join(dataDir, CATALOG_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether the directory's catalog is on PostgreSQL. */
export function isMarked(dataDir: string): boolean {
  return existsSync(join(dataDir, CATALOG_MARK));
}

/** @throws StartProblem when the directory's catalog is on PostgreSQL */
export function assertNotMarked(dataDir: string): void {
  if (!isMarked(dataDir)) return;
  throw new StartProblem(
    `the catalog of ${dataDir} is on PostgreSQL. Set PINYON_DATABASE_URL, or bring the catalog back with ` +
      '`pinyon catalog copy --to sqlite`.',
  );
}

/** @throws StartProblem when the directory cannot have a catalog on PostgreSQL */
export function assertMarkable(dataDir: string): void {
  if (isMarked(dataDir)) return;
  if (hasOwnCatalog(dataDir))
    throw new StartProblem(
      `${dataDir} has a catalog of its own, ${CATALOG_FILE}. Move it to the database with ` +
        '`pinyon catalog copy --to postgres`, unset PINYON_DATABASE_URL, or set PINYON_DATA_DIR to another folder.',
    );
  const folder = join(dataDir, INDEXES_FOLDER);
  if (existsSync(folder) && contentOf(readdirSync(folder)).length > 0)
    throw new StartProblem(
      `${folder} has indexes that no catalog knows. Restore ${CATALOG_FILE}, or set PINYON_DATA_DIR to another folder.`,
    );
}

/**
 * Joins an empty directory and an empty catalog for good; later starts find both as they were.
 * @throws StartProblem when the catalog and the directory belong to others
 */
export async function joinDirectory(catalog: Pick<Catalog, 'settings'>, dataDir: string): Promise<void> {
  const installation = await catalog.settings.get(SETTING);
  const marked = readMark(dataDir)?.installation ?? null;
  if (marked !== null && marked === installation) return;
  if (installation !== null)
    throw new StartProblem(
      `the catalog of PINYON_DATABASE_URL belongs to another data directory than ${dataDir}, which has its indexes. ` +
        'Set PINYON_DATA_DIR to that directory, or PINYON_DATABASE_URL to another database.',
    );
  const id = marked ?? newId();
  // The mark first: after a crash in between, the next start gives the catalog the same id.
  writeMark(dataDir, { installation: id, node: readMark(dataDir)?.node ?? null });
  await catalog.settings.set(SETTING, id);
}

/**
 * Joins an empty directory and the catalog of an installation, of which it becomes a node.
 * @param node its id, as `nodeIdOf` gives it
 * @throws StartProblem when the directory belongs to another catalog
 */
export async function joinNode(
  catalog: Pick<Catalog, 'settings'>,
  dataDir: string,
  node: string,
): Promise<void> {
  const known = readMark(dataDir);
  const installation = (await catalog.settings.get(SETTING)) ?? known?.installation ?? newId();
  if (known !== null && known.installation !== installation)
    throw new StartProblem(
      `the catalog of PINYON_DATABASE_URL is not the one that ${dataDir} belongs to. Set PINYON_DATA_DIR to an empty ` +
        'folder, or PINYON_DATABASE_URL to its own catalog.',
    );
  writeMark(dataDir, { installation, node });
  await catalog.settings.set(SETTING, installation);
}

/** The id of the node that a directory is of; a new one for a directory that has been of none. */
export function nodeIdOf(dataDir: string): string {
  return readMark(dataDir)?.node ?? newId();
}

/** Joins a directory and the catalog that was just copied from it. */
export async function markDirectory(settings: SettingStore, dataDir: string): Promise<void> {
  const id = (await settings.get(SETTING)) ?? newId();
  await settings.set(SETTING, id);
  writeMark(dataDir, { installation: id, node: null });
}

export function removeMark(dataDir: string): void {
  rmSync(join(dataDir, CATALOG_MARK), { force: true });
}

interface Mark {
  readonly installation: string;
  /** Null for the directory of a server that is alone. */
  readonly node: string | null;
}

function readMark(dataDir: string): Mark | null {
  const path = join(dataDir, CATALOG_MARK);
  if (!existsSync(path)) return null;
  const mark: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const isMark = typeof mark === 'object' && mark !== null && 'installation' in mark;
  if (isMark && typeof mark.installation === 'string') {
    const node = 'node' in mark && typeof mark.node === 'string' ? mark.node : null;
    return { installation: mark.installation, node };
  }
  throw new StartProblem(`${path} is damaged. Restore it from a copy of the data directory.`);
}

function writeMark(dataDir: string, { installation, node }: Mark): void {
  const path = join(dataDir, CATALOG_MARK);
  writeFileSync(
    `${path}.part`,
    `${JSON.stringify({ catalog: 'postgres', installation, ...(node !== null && { node }) })}\n`,
    {
      flush: true,
    },
  );
  renameSync(`${path}.part`, path);
}
