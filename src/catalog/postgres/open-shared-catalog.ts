// Opens a catalog on PostgreSQL for one of several nodes, which follows the changes of the others.
import type { Catalog } from '../port.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { ChangeFeed, type ChangeFeedOptions } from './change-feed.ts';
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';

export interface SharedCatalog {
  readonly catalog: Catalog;
  /** Start it when all who keep something in memory listen. */
  readonly changes: Pick<ChangeFeed, 'start' | 'ageMs' | 'listen'>;
}

/** @throws CatalogOpenError when the database cannot be used or is of a newer release */
export async function openSharedCatalog(
  options: OpenPostgresOptions & ChangeFeedOptions,
): Promise<SharedCatalog> {
  const { db, clock } = await openPostgres(options);
  const changes = new ChangeFeed(options);
  return { catalog: new SqlCatalog(db, { clock, changes, onClose: () => changes.close() }), changes };
}
