// The changes of files in SQL. What must hold between a file, its revisions and its operation is decided within one transaction.
import type { Kysely, Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import { insertJob } from '../jobs/job-rows.ts';
import type { CatalogSchema } from '../schema.ts';
import type { AssistantFileStore, FileRef, FileRevision, Staging } from './port.ts';
import {
  assistantOf,
  factColumns,
  jsonOf,
  operationOf,
  operationRow,
  revisionOf,
  revisionRow,
} from './rows.ts';
import { endOperation } from './sql-operations.ts';

type Changes = Pick<
  AssistantFileStore,
  'stage' | 'progress' | 'publish' | 'fail' | 'failStale' | 'beginRemoval' | 'removeRevision'
>;
type Tx = Transaction<CatalogSchema>;

/** A file has at most one of these: what answers, or did and will again. */
const ANSWERING = ['live', 'stale'] as const;

export const SUPERSEDED = 'A later upload has replaced this one.';
export const DELETED = 'The file was deleted.';

export function fileChanges(db: Kysely<CatalogSchema>): Changes {
  return {
    stage: (staging) => db.transaction().execute((tx) => stage(tx, staging)),

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
          ...factColumns(revision),
          revision_id: revisionId,
          state: 'Available',
          percent: 100,
          error: null,
          // What is made anew says what it said before.
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

    beginRemoval: (ref, { operation, jobFor }) =>
      db.transaction().execute(async (tx) => {
        const file = await fileState(tx, ref);
        if (file === undefined) return null;
        if (file.state === 'Deleting') return { operation: await deletionOf(tx, ref), cancelled: [] };
        await tx.insertInto('assistant_operations').values(operationRow(operation)).execute();
        const staged = await endStaged(tx, ref, { at: operation.createdAt, error: DELETED });
        for (const live of await revisionsOf(tx, ref, ANSWERING)) {
          await setState(tx, [live.id], 'dead');
          await insertJob(tx, jobFor(live));
        }
        await updateFile(tx, ref, { state: 'Deleting', updated_at: operation.createdAt });
        await endRemoval(tx, ref, operation.createdAt);
        const stored = await tx
          .selectFrom('assistant_operations')
          .selectAll()
          .where('id', '=', operation.id)
          .executeTakeFirstOrThrow();
        return { operation: operationOf(stored), cancelled: staged };
      }),

    removeRevision: (id, at) =>
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

async function stage(tx: Tx, { revision, operation, job }: Staging): Promise<readonly string[]> {
  const ref = refOf(revision);
  await requireReady(tx, ref.assistantId);
  const file = await fileState(tx, ref);
  if (file?.state === 'Deleting') throw fault('file-deleting', { id: ref.fileId });
  const superseded = await endStaged(tx, ref, { at: revision.createdAt, error: SUPERSEDED });
  const first = {
    ...factColumns(revision),
    state: 'Processing',
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
    // What answers goes on answering, and is what its owner sees, until the new revision does.
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

/** Revisions that were being processed are dead, and what their owners waited for has failed. */
async function endStaged(
  tx: Tx,
  ref: FileRef,
  end: { readonly at: string; readonly error: string },
): Promise<readonly string[]> {
  const staged = await revisionsOf(tx, ref, ['staged']);
  for (const { operationId } of staged) await endOperation(tx, operationId, end);
  const ids = staged.map(({ id }) => id);
  await setState(tx, ids, 'dead');
  return ids;
}

/** A file that is being deleted is gone with its last revision. */
async function endRemoval(tx: Tx, ref: FileRef, at: string): Promise<void> {
  const file = await fileState(tx, ref);
  if (file?.state !== 'Deleting') return;
  const left = await revisionsOf(tx, ref, ['staged', ...ANSWERING, 'dead']);
  if (left.length > 0) return;
  await tx
    .deleteFrom('assistant_files')
    .where('assistant_id', '=', ref.assistantId)
    .where('id', '=', ref.fileId)
    .execute();
  const { id } = await deletionOf(tx, ref);
  await endOperation(tx, id, { at });
}

async function deletionOf(tx: Tx, { assistantId, fileId }: FileRef) {
  const row = await tx
    .selectFrom('assistant_operations')
    .selectAll()
    .where('assistant_id', '=', assistantId)
    .where('file_id', '=', fileId)
    .where('type', '=', 'delete_file')
    .where('state', '=', 'Processing')
    .executeTakeFirstOrThrow();
  return operationOf(row);
}

function fileState(tx: Tx, { assistantId, fileId }: FileRef) {
  return tx
    .selectFrom('assistant_files')
    .select('state')
    .where('assistant_id', '=', assistantId)
    .where('id', '=', fileId)
    .executeTakeFirst();
}

async function updateFile(
  tx: Tx,
  { assistantId, fileId }: FileRef,
  columns: Partial<CatalogSchema['assistant_files']>,
): Promise<void> {
  await tx
    .updateTable('assistant_files')
    .set(columns)
    .where('assistant_id', '=', assistantId)
    .where('id', '=', fileId)
    .execute();
}

async function revisionsOf(
  tx: Tx,
  { assistantId, fileId }: FileRef,
  states: readonly FileRevision['state'][],
): Promise<readonly FileRevision[]> {
  const rows = await tx
    .selectFrom('assistant_revisions')
    .selectAll()
    .where('assistant_id', '=', assistantId)
    .where('file_id', '=', fileId)
    .where('state', 'in', states)
    .execute();
  return rows.map(revisionOf);
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

async function setState(tx: Tx, ids: readonly string[], state: FileRevision['state']): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('assistant_revisions').set({ state }).where('id', 'in', ids).execute();
}

function refOf({ assistantId, fileId }: FileRevision): FileRef {
  return { assistantId, fileId };
}
