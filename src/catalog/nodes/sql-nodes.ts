// Nodes and placements in SQL. Leases are compared by the shared clock.
import type { Kysely, Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import { hasBegun } from '../jobs/has-begun.ts';
import type { CatalogSchema, NodeTable, PlacementTable } from '../schema.ts';
import { leftoverMethods } from './leftovers.ts';
import type { Node, NodeLease, NodeStore, PlacementRow } from './port.ts';
import { nodeRow, setPlacement } from './take-over.ts';

/** @param beside for changes of rows that have one writer: they need not wait for others */
export function sqlNodes(
  db: Kysely<CatalogSchema>,
  beside: Kysely<CatalogSchema>,
  clock: CatalogClock,
): NodeStore {
  const now = (): string => clock.toShared(new Date().toISOString());
  return {
    renew: async (lease) =>
      (lease.isHeld && (await beside.transaction().execute((tx) => prolong(tx, lease, now())))) ||
      (await db.transaction().execute((tx) => takeLease(tx, lease, now()))),

    leave: async ({ id, incarnation }) => {
      await db
        .updateTable('nodes')
        .set({ lease_until: new Date(0).toISOString() })
        .where('id', '=', id)
        .where('incarnation', '=', incarnation)
        .execute();
    },

    list: async () => {
      const rows = await db.selectFrom('nodes').selectAll().orderBy('address').orderBy('id').execute();
      const counts = await db
        .selectFrom('placements')
        .select(({ fn }) => ['node_id', fn.countAll().as('placed')])
        .groupBy('node_id')
        .execute();
      const placed = new Map(counts.map((row) => [row.node_id, Number(row.placed)]));
      const at = now();
      return rows.map((row) => nodeOf(row, at, placed.get(row.id) ?? 0));
    },

    setDraining: async (id, isDraining) => {
      const set = { is_draining: isDraining ? 1 : 0 };
      const result = await db.updateTable('nodes').set(set).where('id', '=', id).executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    forget: (id) =>
      db.transaction().execute(async (tx) => {
        // Before the row is read, which may be renewed meanwhile.
        const at = now();
        const row = await nodeRow(tx, id);
        if (row === undefined || row.lease_until > at) return false;
        const placed = await tx
          .selectFrom('placements')
          .select('id')
          .where('node_id', '=', id)
          .executeTakeFirst();
        if (placed !== undefined) return false;
        // What it has that does not answer is gone with it.
        await tx
          .updateTable('placements')
          .set({ copy_node_id: null, copy_storage_id: null, is_copy_condemned: 0 })
          .where('copy_node_id', '=', id)
          .execute();
        await tx.deleteFrom('node_leftovers').where('node_id', '=', id).execute();
        await tx.deleteFrom('nodes').where('id', '=', id).execute();
        return true;
      }),

    unplaced: async () => {
      const indexes = await db
        .selectFrom('indexes')
        .leftJoin('placements', 'placements.id', 'indexes.id')
        .select(['indexes.id', 'indexes.storage_id'])
        .where('placements.id', 'is', null)
        .execute();
      const assistants = await db
        .selectFrom('assistants')
        .leftJoin('placements', 'placements.id', 'assistants.id')
        .select(['assistants.id', 'assistants.dense_index_id'])
        .where('placements.id', 'is', null)
        .execute();
      return [
        ...indexes.map(({ id, storage_id }) => ({ id, storageId: storage_id ?? id })),
        ...assistants.map(({ id, dense_index_id }) => ({ id, storageId: dense_index_id ?? id })),
      ];
    },

    placements: async () => {
      const rows = await db.selectFrom('placements').selectAll().orderBy('id').execute();
      return rows.map(placementOf);
    },

    placementOf: async (id) => {
      const row = await db.selectFrom('placements').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : placementOf(row);
    },

    adopt: (ids, nodeId) =>
      db.transaction().execute(async (tx) => {
        for (const id of ids) await insertPlacement(tx, id, nodeId);
      }),

    beginCopy: async (ref, { nodeId, storageId }) => {
      const result = await db
        .updateTable('placements')
        .set({ copy_node_id: nodeId, copy_storage_id: storageId, is_copy_condemned: 0 })
        .where('id', '=', ref.id)
        .where('node_id', '=', ref.nodeId)
        .where('epoch', '=', ref.epoch)
        .where('copy_node_id', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    hold: (ref, exceptJobId) =>
      db.transaction().execute(async (tx) => {
        const begun = await tx
          .selectFrom('jobs')
          .select('id')
          .where('index_id', '=', ref.id)
          .where('state', 'in', ACTIVE_JOB_STATES)
          .where(hasBegun)
          .where('id', '!=', exceptJobId)
          .executeTakeFirst();
        return begun === undefined && (await setPlacement(tx, ref, { is_held: 1 }));
      }),

    release: async (id) => {
      await db.updateTable('placements').set({ is_held: 0 }).where('id', '=', id).execute();
    },

    exchange: (ref, copy) =>
      db.transaction().execute(async (tx) => {
        const target = await nodeRow(tx, copy.nodeId);
        const row = await tx.selectFrom('placements').selectAll().where('id', '=', ref.id).executeTakeFirst();
        const isCopied =
          row?.copy_node_id === copy.nodeId &&
          row.copy_storage_id === copy.storageId &&
          row.is_copy_condemned === 0;
        if (target === undefined || target.lease_until <= now() || !isCopied) return false;
        const left = { copy_node_id: ref.nodeId, copy_storage_id: ref.storageId };
        const owner = { node_id: copy.nodeId, epoch: ref.epoch + 1, is_held: 0 };
        if (!(await setPlacement(tx, ref, { ...owner, ...left }))) return false;
        const index = await tx
          .selectFrom('indexes')
          .select(['storage_id'])
          .where('id', '=', ref.id)
          .executeTakeFirst();
        if (index === undefined || (index.storage_id ?? ref.id) !== ref.storageId)
          throw new Error('The index has another storage than its owner thinks.');
        await tx
          .updateTable('indexes')
          .set({ storage_id: copy.storageId })
          .where('id', '=', ref.id)
          .execute();
        return true;
      }),

    condemnCopy: async (id, { nodeId, storageId }) => {
      const result = await db
        .updateTable('placements')
        .set({ is_copy_condemned: 1 })
        .where('id', '=', id)
        .where('copy_node_id', '=', nodeId)
        .where('copy_storage_id', '=', storageId)
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    endCopy: async (id, { nodeId, storageId }) => {
      await db
        .updateTable('placements')
        .set({ copy_node_id: null, copy_storage_id: null, is_copy_condemned: 0 })
        .where('id', '=', id)
        .where('copy_node_id', '=', nodeId)
        .where('copy_storage_id', '=', storageId)
        .execute();
    },

    ...leftoverMethods(db, now),
  };
}

/** Only the process that has the lease changes its row until it ends. @returns false where it has none any more */
async function prolong(tx: Transaction<CatalogSchema>, lease: NodeLease, seenAt: string): Promise<boolean> {
  const result = await tx
    .updateTable('nodes')
    .set(rowOf(lease, seenAt))
    .where('id', '=', lease.id)
    .where('incarnation', '=', lease.incarnation)
    .where('lease_until', '>', seenAt)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

async function takeLease(tx: Transaction<CatalogSchema>, lease: NodeLease, seenAt: string): Promise<boolean> {
  const known = await nodeRow(tx, lease.id);
  if (known !== undefined && known.incarnation !== lease.incarnation && known.lease_until > seenAt)
    return false;
  const row = rowOf(lease, seenAt);
  await tx
    .insertInto('nodes')
    .values({ id: lease.id, is_draining: 0, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  return true;
}

function rowOf(lease: NodeLease, seenAt: string): Omit<NodeTable, 'id' | 'is_draining'> {
  return {
    address: lease.address,
    release: lease.release,
    incarnation: lease.incarnation,
    lease_until: new Date(Date.parse(seenAt) + lease.leaseMs).toISOString(),
    seen_at: seenAt,
    memory_free_bytes: lease.memoryFreeBytes,
    disk_free_bytes: lease.diskFreeBytes,
  };
}

/** Runs in the transaction that stores what is placed. No effect where it is placed already. */
export async function insertPlacement(
  tx: Transaction<CatalogSchema>,
  id: string,
  nodeId: string,
): Promise<void> {
  await tx
    .insertInto('placements')
    .values({
      id,
      node_id: nodeId,
      epoch: 1,
      is_held: 0,
      copy_node_id: null,
      copy_storage_id: null,
      is_copy_condemned: 0,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** The fence of changes: only the owner makes them. @throws index-elsewhere */
export async function requirePlacedAt(
  tx: Transaction<CatalogSchema>,
  id: string,
  nodeId: string,
): Promise<void> {
  const row = await tx.selectFrom('placements').select('node_id').where('id', '=', id).executeTakeFirst();
  if (row !== undefined && row.node_id !== nodeId) throw fault('index-elsewhere');
}

function nodeOf(row: NodeTable, now: string, placed: number): Node {
  return {
    id: row.id,
    address: row.address,
    release: row.release,
    seenAt: row.seen_at,
    isAlive: row.lease_until > now,
    placed,
    isDraining: row.is_draining === 1,
    memoryFreeBytes: Number(row.memory_free_bytes),
    diskFreeBytes: Number(row.disk_free_bytes),
  };
}

function placementOf(row: PlacementTable): PlacementRow {
  const { copy_node_id: nodeId, copy_storage_id: storageId } = row;
  return {
    id: row.id,
    nodeId: row.node_id,
    epoch: Number(row.epoch),
    isHeld: row.is_held === 1,
    copy: nodeId === null || storageId === null ? null : { nodeId, storageId },
  };
}
