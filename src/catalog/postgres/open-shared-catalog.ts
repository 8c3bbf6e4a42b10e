// Opens a catalog on PostgreSQL for one of several nodes, which follows the changes of the others.
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import type { NodeChanges } from '../foreign-changes.ts';
import type { Catalog } from '../port.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { ChangeFeed, type ChangeFeedOptions } from './change-feed.ts';
import { holdLock } from './held-lock.ts';
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';

/**
 * How long a node may stand still in the middle of a change: all others wait for theirs. A machine that vanishes then ends no
 * connection. Less than a node may serve without news of the others.
 */
const IDLE_IN_TRANSACTION_MS = 2_000;

export interface SharedCatalog {
  readonly catalog: Catalog;
  /** Start it when all who keep something in memory listen. */
  readonly changes: NodeChanges;
}

/**
 * Nodes start one after another, since the first one creates what an installation begins with.
 * @throws CatalogOpenError when the database cannot be used, is of a newer release, or serves a node that is alone
 */
export async function openSharedCatalog(
  options: OpenPostgresOptions & ChangeFeedOptions & { readonly nodeId?: string | null },
): Promise<SharedCatalog> {
  const { db, beside, clock } = await openPostgres({
    idleInTransactionMs: IDLE_IN_TRANSACTION_MS,
    ...options,
  });
  try {
    const { url, onWait, nodeId = null } = options;
    // It is released when this node has started, or has failed to.
    const starting = await holdLock({ url, lock: ADVISORY_LOCKS.starting, ...(onWait && { onWait }) });
    const feed = new ChangeFeed(options);
    const changes: NodeChanges = {
      listen: (topic, listener) => feed.listen(topic, listener),
      ageMs: () => feed.ageMs(),
      catchUp: () => feed.catchUp(),
      start: async () => {
        await feed.start();
        await starting.release();
      },
    };
    const onClose = async () => {
      await feed.close();
      await starting.release();
    };
    return { catalog: new SqlCatalog(db, { beside, clock, changes, nodeId, onClose }), changes };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
