// Opens the catalog where the settings say: in the data directory, or on PostgreSQL.
import { join } from 'node:path';
import type { Catalog } from '../../catalog/port.ts';
import { openCatalog } from '../../catalog/sqlite/open-catalog.ts';
import { CATALOG_FILE, CATALOG_MARK } from '../data-dir.ts';
import type { Settings } from '../settings.ts';
import { StartProblem } from '../start-problems.ts';
import {
  assertMarkable,
  assertNotMarked,
  hasOwnCatalog,
  isMarked,
  joinDirectory,
  joinNode,
  nodeIdOf,
} from './catalog-mark.ts';
import { assertEngine } from './engine-mark.ts';

export type CatalogSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databaseConnections' | 'engine' | 'publicDomain' | 'nodeAddress'
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
  /** The thread of the catalog has died: the process has none any more. */
  readonly onDeath?: (error: Error) => void;
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
  { dataDir, databaseUrl, databaseConnections, engine, publicDomain, nodeAddress }: CatalogSettings,
  events: CatalogEvents,
): Promise<Catalog> {
  if (databaseUrl === null) {
    assertNotMarked(dataDir);
    const { onMigrated, onDeath } = events;
    return openCatalog({ path: join(dataDir, CATALOG_FILE), onMigrated, onDeath });
  }
  assertMarkable(dataDir);
  // Nodes without data of their own may be several, if clients find indexes at one address of all of them.
  if (engine === 'postgres' && publicDomain !== null)
    return openShared({ url: databaseUrl, connectionsMax: databaseConnections }, events);
  // So may those that know each other and which of them has what.
  if (nodeAddress !== null)
    return openShared({ url: databaseUrl, connectionsMax: databaseConnections, dataDir }, events);
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
    if (engine === 'embedded') {
      await joinDirectory(catalog, dataDir);
      await assertAllHere(catalog, nodeIdOf(dataDir));
    }
  } catch (error) {
    await catalog.close();
    throw error;
  }
  return catalog;
}

/** A server that is alone would show the indexes of other nodes without records. @throws StartProblem */
async function assertAllHere({ nodes }: Pick<Catalog, 'nodes'>, nodeId: string): Promise<void> {
  const elsewhere = (await nodes.placements()).filter((each) => each.nodeId !== nodeId);
  if (elsewhere.length === 0) return;
  throw new StartProblem(
    `${elsewhere.length} indexes and assistants are on other nodes. Set PINYON_NODE_ADDRESS and PINYON_NODE_SECRET, or move them here first.`,
  );
}

interface SharedPlace {
  readonly url: string;
  readonly connectionsMax: number;
  /** With records of this node's own; absent where they are on PostgreSQL. */
  readonly dataDir?: string;
}

async function openShared(
  { dataDir, ...place }: SharedPlace,
  { onWait, onMigrated, onFailure = () => undefined }: CatalogEvents,
): Promise<Catalog> {
  const { openSharedCatalog } = await import('../../catalog/postgres/open-shared-catalog.ts');
  const nodeId = dataDir === undefined ? null : nodeIdOf(dataDir);
  const { catalog } = await openSharedCatalog({ ...place, nodeId, onWait, onMigrated, onFailure });
  try {
    await assertEngine(catalog, nodeId === null ? 'postgres' : 'embedded');
    if (nodeId !== null && dataDir !== undefined) await joinNode(catalog, dataDir, nodeId);
    return catalog;
  } catch (error) {
    await catalog.close();
    throw error;
  }
}
