// Opens the catalog where the settings say: in the data directory, or on PostgreSQL.
import { join } from 'node:path';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { CATALOG_FILE, CATALOG_MARK } from '../data-dir.ts';
import type { Settings } from '../settings.ts';
import { StartProblem } from '../start-problems.ts';
import { assertMarkable, assertNotMarked, hasOwnCatalog, isMarked, joinDirectory } from './catalog-mark.ts';
import { assertEngine } from './engine-mark.ts';

export type CatalogSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databaseConnections' | 'engine' | 'publicDomain'
>;

export interface CatalogEvents {
  /** The start waits, for this reason. */
  readonly onWait: (reason: string) => void;
  /** Called with the names of migrations that the catalog needed. */
  readonly onMigrated?: (names: readonly string[]) => void;
  /** The changes of other nodes cannot be followed at present. */
  readonly onFailure?: (error: unknown) => void;
  /** Another node has taken the catalog over: this one must stop at once. */
  readonly onLost: () => void;
}

/** For commands on the data of a stopped server. @throws StartProblem when there is none, CatalogOpenError */
export async function openStoppedCatalog(settings: CatalogSettings, exit: () => never): Promise<Catalog> {
  const { dataDir, databaseUrl } = settings;
  const isElsewhere = databaseUrl !== null && settings.engine === 'postgres';
  const isOwn = databaseUrl === null && hasOwnCatalog(dataDir);
  const isThere = isElsewhere || isOwn || isMarked(dataDir);
  if (!isThere)
    throw new StartProblem(
      `there is no catalog at ${join(dataDir, databaseUrl === null ? CATALOG_FILE : CATALOG_MARK)}. Set PINYON_DATA_DIR.`,
    );
  return openConfiguredCatalog(settings, { onWait: () => undefined, onLost: exit });
}

/** The data directory must exist. @throws CatalogOpenError, StartProblem */
export async function openConfiguredCatalog(
  { dataDir, databaseUrl, databaseConnections, engine, publicDomain }: CatalogSettings,
  events: CatalogEvents,
): Promise<Catalog> {
  if (databaseUrl === null) {
    assertNotMarked(dataDir);
    return openCatalog({ path: join(dataDir, CATALOG_FILE), onMigrated: events.onMigrated });
  }
  assertMarkable(dataDir);
  // Nodes without data of their own may be several, if clients find indexes at one address of all of them.
  if (engine === 'postgres' && publicDomain !== null)
    return openShared({ url: databaseUrl, connectionsMax: databaseConnections }, events);
  // Loaded only where it is used.
  const { openPostgresCatalog } = await import('../../catalog/postgres/open-postgres-catalog.ts');
  const catalog = await openPostgresCatalog({
    url: databaseUrl,
    connectionsMax: databaseConnections,
    ...events,
  });
  try {
    await assertEngine(catalog, engine);
    // Otherwise the directory has nothing that belongs to the catalog alone.
    if (engine === 'embedded') await joinDirectory(catalog, dataDir);
  } catch (error) {
    await catalog.close();
    throw error;
  }
  return catalog;
}

async function openShared(
  place: { readonly url: string; readonly connectionsMax: number },
  { onWait, onMigrated, onFailure = () => undefined }: CatalogEvents,
): Promise<Catalog> {
  const { openSharedCatalog } = await import('../../catalog/postgres/open-shared-catalog.ts');
  const { catalog } = await openSharedCatalog({ ...place, onWait, onMigrated, onFailure });
  try {
    await assertEngine(catalog, 'postgres');
    return catalog;
  } catch (error) {
    await catalog.close();
    throw error;
  }
}
