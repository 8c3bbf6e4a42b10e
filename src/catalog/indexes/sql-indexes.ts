// Indexes and their port grants in SQL.
import { isDeepStrictEqual } from 'node:util';
import type { Kysely, NotNull, Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import { retireIndex } from '../backups/retire-index.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import { deleteErrorsOf } from '../imports/sql-import-errors.ts';
import { insertPlacement, requirePlacedAt } from '../nodes/sql-nodes.ts';
import { deadOwner, ownForDeletion, removePlacement } from '../nodes/take-over.ts';
import type { IndexStore } from '../port.ts';
import type { CatalogSchema } from '../schema.ts';
import { indexOf, rowOf } from './index-row.ts';

/** @param nodeId of this node, which then has the indexes that it stores, and changes no others; null otherwise */
export function sqlIndexes(
  db: Kysely<CatalogSchema>,
  clock: CatalogClock,
  nodeId: string | null,
): IndexStore {
  const now = (): string => clock.toShared(new Date().toISOString());
  const fence = async (tx: Transaction<CatalogSchema>, id: string): Promise<void> => {
    if (nodeId !== null) await requirePlacedAt(tx, id, nodeId);
  };
  return {
    list: async () => {
      const rows = await placedIndexes(db).orderBy('indexes.name').orderBy('indexes.id').execute();
      return rows.map(indexOf);
    },

    insert: (index) =>
      db.transaction().execute(async (transaction) => {
        await requireLivingProject(transaction, index.projectId);
        const result = await transaction
          .insertInto('indexes')
          .values(rowOf(index))
          .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
          .executeTakeFirst();
        if (result.numInsertedOrUpdatedRows !== 1n) throw fault('name-taken');
        if (nodeId !== null) await insertPlacement(transaction, index.id, nodeId);
        await grantPort(transaction, index);
      }),

    update: (id, change) =>
      db.transaction().execute(async (transaction) => {
        const dead = nodeId === null ? null : await deadOwner(transaction, id, { nodeId, now: now() });
        const index = await indexIn(transaction, id);
        if (index === null) return null;
        const changed = change(index);
        if (changed === index) return index;
        if (dead !== null && !isOfCatalogAlone(index, changed))
          throw fault('node-unavailable', { node: dead });
        await replaceIndex(transaction, changed);
        return changed;
      }),

    retire: (id, admit) =>
      db.transaction().execute(async (transaction) => {
        const index = await indexIn(transaction, id);
        if (index === null) return null;
        if (!admit(index)) return index;
        const retired = { ...index, state: 'Terminating' } as const;
        const placement =
          nodeId === null ? null : await ownForDeletion(transaction, index, { nodeId, now: now() });
        await retireIndex(transaction, index, new Date().toISOString());
        await replaceIndex(transaction, retired);
        return placement === null ? retired : { ...retired, placement };
      }),

    endUnfilled: (id) =>
      db.transaction().execute(async (transaction) => {
        await fence(transaction, id);
        const index = await indexIn(transaction, id);
        if (index?.state !== 'Initializing' || (await hasActiveJob(transaction, id))) return index;
        const ended = { ...index, state: 'Terminating' } as const;
        await replaceIndex(transaction, ended);
        return ended;
      }),

    delete: (id) =>
      db.transaction().execute(async (transaction) => {
        await fence(transaction, id);
        await retirePort(transaction, id);
        await transaction.deleteFrom('namespace_aliases').where('index_id', '=', id).execute();
        await deleteErrorsOf(transaction, id);
        await transaction.deleteFrom('judgment_sets').where('index_id', '=', id).execute();
        await removePlacement(transaction, id, now());
        await transaction.deleteFrom('indexes').where('id', '=', id).execute();
      }),

    portGrants: async () => {
      const rows = await db.selectFrom('port_grants').selectAll().orderBy('turn').execute();
      return rows.map((row) => ({
        port: row.port,
        projectId: row.project_id,
        indexName: row.index_name,
        retiredAt: row.retired_at,
      }));
    },
  };
}

/** True for a change that the node of the index need not know of. */
function isOfCatalogAlone(index: Index, changed: Index): boolean {
  const { tags, deletionProtection } = changed;
  return isDeepStrictEqual({ ...index, tags, deletionProtection }, changed);
}

/** Indexes, and where they are placed. */
function placedIndexes(db: Kysely<CatalogSchema>) {
  return db
    .selectFrom('indexes')
    .leftJoin('placements', 'placements.id', 'indexes.id')
    .selectAll('indexes')
    .select(['placements.node_id', 'placements.epoch']);
}

async function indexIn(transaction: Transaction<CatalogSchema>, id: string): Promise<Index | null> {
  const row = await placedIndexes(transaction).where('indexes.id', '=', id).executeTakeFirst();
  return row === undefined ? null : indexOf(row);
}

async function hasActiveJob(transaction: Transaction<CatalogSchema>, indexId: string): Promise<boolean> {
  const job = await transaction
    .selectFrom('jobs')
    .select('id')
    .where('index_id', '=', indexId)
    .where('state', 'in', ACTIVE_JOB_STATES)
    .executeTakeFirst();
  return job !== undefined;
}

/** The key was valid when the request arrived, but it is deleted with its project. @throws unauthenticated */
async function requireLivingProject(transaction: Transaction<CatalogSchema>, id: string): Promise<void> {
  const project = await transaction
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (project === undefined) throw fault('unauthenticated');
}

async function replaceIndex(transaction: Transaction<CatalogSchema>, index: Index): Promise<void> {
  const { id, ...columns } = rowOf(index);
  await transaction.updateTable('indexes').set(columns).where('id', '=', id).execute();
  await grantPort(transaction, index);
}

async function grantPort(transaction: Transaction<CatalogSchema>, index: Index): Promise<void> {
  if (index.port === null) return;
  const owner = { project_id: index.projectId, index_name: index.name };
  const held = await transaction
    .selectFrom('port_grants')
    .selectAll()
    .where('port', '=', index.port)
    .executeTakeFirst();
  if (held?.project_id === owner.project_id && held.index_name === owner.index_name) {
    if (held.retired_at === null) return;
    await transaction
      .updateTable('port_grants')
      .set({ retired_at: null })
      .where('port', '=', held.port)
      .execute();
    return;
  }
  const last = await transaction
    .selectFrom('port_grants')
    .select(({ fn }) => fn.max('turn').as('turn'))
    .executeTakeFirst();
  const grant = { ...owner, turn: Number(last?.turn ?? 0) + 1, retired_at: null };
  await transaction
    .insertInto('port_grants')
    .values({ port: index.port, ...grant })
    .onConflict((conflict) => conflict.column('port').doUpdateSet(grant))
    .execute();
}

/** No client learned the port of an index that was never shown, so only deletions count. */
async function retirePort(transaction: Transaction<CatalogSchema>, id: string): Promise<void> {
  await transaction
    .updateTable('port_grants')
    .set({ retired_at: new Date().toISOString() })
    .where('port', 'in', (query) =>
      query
        .selectFrom('indexes')
        .select('port')
        .where('id', '=', id)
        .where('state', '=', 'Terminating')
        .where('port', 'is not', null)
        .$narrowType<{ port: NotNull }>(),
    )
    .execute();
}
