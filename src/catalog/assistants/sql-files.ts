// Files of assistants in SQL. Each change keeps a file, its revisions and its operation consistent in one transaction.
import type { Kysely } from 'kysely';
import { fault } from '../../domain/faults.ts';
import { byCreation } from '../administration/page-of.ts';
import { insertJob } from '../jobs/job-rows.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import {
  ANSWERING,
  deletionOf,
  endRemoval,
  endStaged,
  fileState,
  holdFile,
  refOf,
  revisionsOf,
  setState,
  type Tx,
  updateFile,
} from './file-steps.ts';
import type { AssistantFile, AssistantFileStore, Staging } from './port.ts';
import { attributeColumns, fileOf, operationOf, operationRow, revisionRow } from './rows.ts';

/** Rows read at a time to apply a filter. */
const SCAN_ROWS = 500;

export const SUPERSEDED = 'A later upload has replaced this one.';
export const DELETED = 'The file was deleted.';

export function sqlAssistantFiles(db: Kysely<CatalogSchema>): AssistantFileStore {
  return {
    find: async ({ assistantId, fileId }) => {
      const row = await db
        .selectFrom('assistant_files')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('id', '=', fileId)
        .executeTakeFirst();
      return row === undefined ? null : fileOf(row);
    },

    list: async (query, { limit, after }) => {
      const found: AssistantFile[] = [];
      for (let from = after; found.length <= limit; ) {
        const rows = await db
          .selectFrom('assistant_files')
          .selectAll()
          .where('assistant_id', '=', query.assistantId)
          .where(isBefore('assistant_files', { limit, after: from }))
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(Math.max(SCAN_ROWS, limit + 1))
          .execute();
        const files = rows.map(fileOf);
        found.push(...files.filter((file) => query.accepts?.(file.metadata ?? {}) ?? true));
        from = files.at(-1) ?? null;
        if (files.length < Math.max(SCAN_ROWS, limit + 1)) break;
      }
      return byCreation(found.slice(0, limit + 1), limit);
    },

    counts: async (projectId) => {
      const rows = await db
        .selectFrom('assistant_files')
        .innerJoin('assistants', 'assistants.id', 'assistant_files.assistant_id')
        .select(({ fn }) => [
          'assistants.project_id as projectId',
          'assistants.name as assistantName',
          'assistant_files.state as state',
          fn.countAll().as('files'),
        ])
        .$if(projectId !== null, (query) => query.where('assistants.project_id', '=', projectId))
        .groupBy(['assistants.project_id', 'assistants.name', 'assistant_files.state'])
        .orderBy('assistants.project_id')
        .orderBy('assistants.name')
        .orderBy('assistant_files.state')
        .execute();
      return rows.map(({ files, ...rest }) => ({ ...rest, files: Number(files) }));
    },

    stage: (staging) => db.transaction().execute((tx) => stage(tx, staging)),

    beginRemoval: (ref, { operation, staysShown = false, jobFor }) =>
      db.transaction().execute(async (tx) => {
        const file = await fileState(tx, ref);
        if (file === undefined) return null;
        if (file.state === 'Deleting') return { operation: await deletionOf(tx, ref), cancelled: [] };
        await tx.insertInto('assistant_operations').values(operationRow(operation)).execute();
        const staged = await endStaged(tx, ref, { at: operation.createdAt, error: DELETED });
        const answering = await revisionsOf(tx, ref, ANSWERING);
        for (const live of answering) {
          await setState(tx, [live.id], 'dead');
          await insertJob(tx, jobFor(live));
        }
        if (staysShown && answering.length === 0)
          await insertJob(tx, jobFor(await holdFile(tx, ref, operation)));
        await updateFile(tx, ref, { state: 'Deleting', updated_at: operation.createdAt });
        await endRemoval(tx, ref, operation.createdAt);
        const stored = await tx
          .selectFrom('assistant_operations')
          .selectAll()
          .where('id', '=', operation.id)
          .executeTakeFirstOrThrow();
        return { operation: operationOf(stored), cancelled: staged };
      }),
  };
}

async function stage(tx: Tx, { revision, operation, job }: Staging): Promise<readonly string[]> {
  const ref = refOf(revision);
  await requireReady(tx, ref.assistantId);
  const file = await fileState(tx, ref);
  if (file?.state === 'Deleting') throw fault('file-deleting', { id: ref.fileId });
  const superseded = await endStaged(tx, ref, { at: revision.createdAt, error: SUPERSEDED });
  const first = {
    ...attributeColumns(revision),
    state: 'Processing' as const,
    percent: 0,
    error: null,
    revision_id: revision.id,
    updated_at: revision.createdAt,
  };
  if (file === undefined) {
    const identity = { assistant_id: ref.assistantId, id: ref.fileId, created_at: revision.createdAt };
    await tx
      .insertInto('assistant_files')
      .values({ ...identity, ...first })
      .execute();
    // The present revision keeps answering, and its owner sees it, until the new one is published.
  } else if (file.state !== 'Available') await updateFile(tx, ref, first);
  await tx.insertInto('assistant_operations').values(operationRow(operation)).execute();
  await tx.insertInto('assistant_revisions').values(revisionRow(revision)).execute();
  await insertJob(tx, job);
  return superseded;
}

/** @throws assistant-not-found */
async function requireReady(tx: Tx, id: string): Promise<void> {
  const row = await tx
    .selectFrom('assistants')
    .select(['name', 'state'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row?.state !== 'Ready') throw fault('assistant-not-found', { name: row?.name ?? '' });
}
