// Opens a catalog on PostgreSQL for the one node that may use it.
import type { Catalog } from '../port.ts';
import { SqlCatalog } from '../sql-catalog.ts';
import { type OpenPostgresOptions, openPostgres } from './open-postgres.ts';
import { becomeSingleNode, type SingleNodeOptions } from './single-node.ts';
import { UnconfirmedChanges } from './unconfirmed-changes.ts';

export interface OpenPostgresCatalogOptions extends OpenPostgresOptions {
  /** Another node has taken the catalog over, after the database lost this one: it must stop. */
  readonly onLost: SingleNodeOptions['onLost'];
  /** How long the start waits for another node to end. */
  readonly nodeWaitMs?: number;
}

/** @throws CatalogOpenError when the database cannot be used, is of a newer release, or serves another node */
export async function openPostgresCatalog(options: OpenPostgresCatalogOptions): Promise<Catalog> {
  const { db, clock } = await openPostgres({ ...options, onUnconfirmed: () => unconfirmed.note() });
  const unconfirmed = new UnconfirmedChanges({
    // A change begins when all earlier ones have ended on the server, too.
    settled: () => db.transaction().execute(() => Promise.resolve()),
  });
  try {
    const { nodeWaitMs, ...rest } = options;
    const node = await becomeSingleNode({
      ...rest,
      ...(nodeWaitMs === undefined ? {} : { waitMs: nodeWaitMs }),
    });
    const onClose = () => {
      unconfirmed.close();
      return node.close();
    };
    return new SqlCatalog(db, { clock, foreign: unconfirmed, onClose });
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
