// Assistants in SQL.

import type { Kysely, Transaction } from 'kysely';
import { type ChunkLocation, statesBefore } from '../../domain/assistants/assistant.ts';
import { fault } from '../../domain/faults.ts';
import { jsonText } from '../../domain/json.ts';
import { byCreation } from '../administration/page-of.ts';
import type { CatalogClock } from '../catalog-clock.ts';
import { insertJob } from '../jobs/job-rows.ts';
import { isBefore } from '../newest-first.ts';
import { insertPlacement } from '../nodes/sql-nodes.ts';
import { markStale, ownAssistantForDeletion } from '../nodes/take-over.ts';
import type { CatalogSchema } from '../schema.ts';
import type { AssistantStore } from './port.ts';
import { assistantOf, assistantRow, jsonOf } from './rows.ts';

/** @param nodeId of this node, which then has the records of the assistants that it stores; null otherwise */
export function sqlAssistants(
  db: Kysely<CatalogSchema>,
  clock: CatalogClock,
  nodeId: string | null,
): AssistantStore {
  const now = (): string => clock.toShared(new Date().toISOString());
  return {
    insert: (assistant, job) =>
      db.transaction().execute(async (tx) => {
        const project = await tx
          .selectFrom('projects')
          .select('id')
          .where('id', '=', assistant.projectId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (project === undefined) throw fault('unauthenticated');
        const result = await tx
          .insertInto('assistants')
          .values(assistantRow(assistant))
          .onConflict((conflict) => conflict.columns(['project_id', 'name']).doNothing())
          .executeTakeFirst();
        if (result.numInsertedOrUpdatedRows !== 1n) throw fault('name-taken');
        if (nodeId !== null) await insertPlacement(tx, assistant.id, nodeId);
        await insertJob(tx, job);
      }),

    find: async (projectId, name) => {
      const row = await db
        .selectFrom('assistants')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row === undefined ? null : assistantOf(row);
    },

    byId: async (id) => {
      const row = await db.selectFrom('assistants').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : assistantOf(row);
    },

    list: async (projectId, page) => {
      const rows = await db
        .selectFrom('assistants')
        .selectAll()
        .where('project_id', '=', projectId)
        .where(isBefore('assistants', page))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(assistantOf), page.limit);
    },

    change: async (id, { instructions, metadata, updatedAt }) => {
      const row = await db
        .updateTable('assistants')
        .set({
          updated_at: updatedAt,
          ...(instructions !== undefined && { instructions }),
          ...(metadata !== undefined && { metadata: jsonOf(metadata) }),
        })
        .where('id', '=', id)
        .where('state', '!=', 'Terminating')
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : assistantOf(row);
    },

    move: async (id, to) => {
      const result = await db
        .updateTable('assistants')
        .set({ state: to })
        .where('id', '=', id)
        .where('state', 'in', statesBefore(to))
        .executeTakeFirst();
      return result.numUpdatedRows === 1n;
    },

    moveChunks: (id, place) => db.transaction().execute((tx) => moveChunks(tx, id, place)),

    beginRemoval: (id, job) =>
      db.transaction().execute(async (tx) => {
        const result = await tx
          .updateTable('assistants')
          .set({ state: 'Terminating' })
          .where('id', '=', id)
          .where('state', 'in', statesBefore('Terminating'))
          .executeTakeFirst();
        if (nodeId !== null) await ownAssistantForDeletion(tx, id, { nodeId, now: now() });
        if (result.numUpdatedRows === 1n) await insertJob(tx, job);
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('assistant_operations').where('assistant_id', '=', id).execute();
        await tx.deleteFrom('assistant_revisions').where('assistant_id', '=', id).execute();
        await tx.deleteFrom('assistant_files').where('assistant_id', '=', id).execute();
        await tx.deleteFrom('placements').where('id', '=', id).execute();
        await tx.deleteFrom('assistants').where('id', '=', id).execute();
      }),
  };
}

async function moveChunks(
  tx: Transaction<CatalogSchema>,
  id: string,
  { models, denseIndexId, sparseIndexId }: ChunkLocation,
): Promise<boolean> {
  const row = await tx.selectFrom('assistants').selectAll().where('id', '=', id).executeTakeFirst();
  if (row?.state !== 'Ready') return false;
  if (assistantOf(row).denseIndexId === denseIndexId) return true;
  const place = { dense_index_id: denseIndexId, sparse_index_id: sparseIndexId };
  await tx
    .updateTable('assistants')
    .set({ ...place, models: jsonText(models) })
    .where('id', '=', id)
    .execute();
  await markStale(tx, id);
  return true;
}
