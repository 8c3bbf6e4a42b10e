// Revisions of files in SQL. Each change keeps a file, its revisions and its operation consistent in one transaction.

import type { Kysely } from 'kysely';
import { parseJsonText } from '../../domain/json.ts';
import { insertJob } from '../jobs/job-rows.ts';
import type { CatalogSchema } from '../schema.ts';
import { ANSWERING, endRemoval, refOf, revisionsOf, setState, type Tx, updateFile } from './file-steps.ts';
import type { FileQuery, FileRevision, RevisionStore } from './port.ts';
import { assistantOf, attributeColumns, fileOf, jsonOf, revisionOf } from './rows.ts';
import { endOperation } from './sql-operations.ts';
import type { AssistantFileTable } from './tables.ts';

export function sqlRevisions(db: Kysely<CatalogSchema>): RevisionStore {
  return {
    find: async (id) => {
      const row = await db
        .selectFrom('assistant_revisions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : revisionOf(row);
    },

    ids: async ({ assistantId, accepts }, states) => {
      const rows = await db
        .selectFrom('assistant_revisions')
        .select(['id', 'metadata'])
        .where('assistant_id', '=', assistantId)
        .where('state', 'in', states)
        .execute();
      return rows.filter(({ metadata }) => isAccepted(accepts, metadata)).map(({ id }) => id);
    },

    live: async (assistantId, revisionIds) => {
      if (revisionIds.length === 0) return new Map();
      const revisions = await db
        .selectFrom('assistant_revisions')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('state', '=', 'live')
        .where('id', 'in', revisionIds)
        .execute();
      const files = await db
        .selectFrom('assistant_files')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('revision_id', 'in', revisionIds)
        .execute();
      const byRevision = new Map(files.map((row) => [row.revision_id, fileOf(row)]));
      return new Map(
        revisions.map(revisionOf).flatMap(({ id, processing }) => {
          const file = byRevision.get(id);
          return file === undefined ? [] : [[id, { file, processing }] as const];
        }),
      );
    },
    progress: async (revisionId, percent) => {
      await db.transaction().execute(async (tx) => {
        const revision = await unpublished(tx, revisionId, ['staged', 'stale']);
        if (revision === null) return;
        await tx
          .updateTable('assistant_operations')
          .set({ percent })
          .where('id', '=', revision.operationId)
          .where('state', '=', 'Processing')
          .execute();
        await tx
          .updateTable('assistant_files')
          .set({ percent })
          .where('assistant_id', '=', revision.assistantId)
          .where('revision_id', '=', revisionId)
          .where('state', '=', 'Processing')
          .execute();
      });
    },

    publish: (revisionId, { processing, denseIndexId, ingestionUnits, at }, cleaning) =>
      db.transaction().execute(async (tx) => {
        const revision = await unpublished(tx, revisionId, ['staged', 'stale']);
        if (revision === null) return 'gone';
        if ((await denseIndexOf(tx, revision.assistantId)) !== denseIndexId) return 'moved';
        for (const old of await revisionsOf(tx, refOf(revision), ANSWERING)) {
          if (old.id === revisionId) continue;
          await setState(tx, [old.id], 'dead');
          await insertJob(tx, cleaning(old));
        }
        await tx
          .updateTable('assistant_revisions')
          .set({ state: 'live', processing: jsonOf(processing) })
          .where('id', '=', revisionId)
          .execute();
        await updateFile(tx, refOf(revision), {
          ...attributeColumns(revision),
          revision_id: revisionId,
          state: 'Available',
          percent: 100,
          error: null,
          // A re-embedded file keeps its dates.
          ...(revision.state === 'staged' && { updated_at: at }),
        });
        await endOperation(tx, revision.operationId, { at, ingestionUnits });
        return 'live';
      }),

    fail: (revisionId, error, at) =>
      db.transaction().execute(async (tx) => {
        const revision = await unpublished(tx, revisionId, ['staged']);
        if (revision === null) return;
        await setState(tx, [revisionId], 'dead');
        await endOperation(tx, revision.operationId, { at, error });
        await tx
          .updateTable('assistant_files')
          .set({ state: 'ProcessingFailed', error, updated_at: at })
          .where('assistant_id', '=', revision.assistantId)
          .where('revision_id', '=', revisionId)
          .where('state', '=', 'Processing')
          .execute();
      }),

    failStale: (revisionId, error) =>
      db.transaction().execute(async (tx) => {
        const revision = await unpublished(tx, revisionId, ['stale']);
        if (revision === null) return;
        await tx
          .updateTable('assistant_files')
          .set({ state: 'ProcessingFailed', error })
          .where('assistant_id', '=', revision.assistantId)
          .where('revision_id', '=', revisionId)
          .where('state', '=', 'Processing')
          .execute();
      }),

    remove: (id, at) =>
      db.transaction().execute(async (tx) => {
        const row = await tx
          .deleteFrom('assistant_revisions')
          .where('id', '=', id)
          .where('state', '=', 'dead')
          .returning(['assistant_id', 'file_id'])
          .executeTakeFirst();
        if (row === undefined) return;
        await endRemoval(tx, { assistantId: row.assistant_id, fileId: row.file_id }, at);
      }),
  };
}

function isAccepted(accepts: FileQuery['accepts'], metadata: AssistantFileTable['metadata']): boolean {
  return accepts === null || accepts(metadata === null ? {} : parseJsonText(metadata));
}

async function unpublished(
  tx: Tx,
  id: string,
  states: readonly FileRevision['state'][],
): Promise<FileRevision | null> {
  const row = await tx
    .selectFrom('assistant_revisions')
    .selectAll()
    .where('id', '=', id)
    .where('state', 'in', states)
    .executeTakeFirst();
  return row === undefined ? null : revisionOf(row);
}

async function denseIndexOf(tx: Tx, id: string): Promise<string | null> {
  const row = await tx.selectFrom('assistants').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : assistantOf(row).denseIndexId;
}
