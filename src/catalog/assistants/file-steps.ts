// Steps that changes of files and of revisions share, each within the caller's transaction.
import type { Transaction } from 'kysely';
import { newId } from '../../domain/ids.ts';
import type { CatalogSchema } from '../schema.ts';
import type { FileRef, FileRevision, Operation } from './port.ts';
import { fileOf, operationOf, revisionOf, revisionRow } from './rows.ts';
import { endOperation } from './sql-operations.ts';

export type Tx = Transaction<CatalogSchema>;

/** States of a revision that answers, or will again; a file has at most one such revision. */
export const ANSWERING = ['live', 'stale'] as const;

/** Marks staged revisions as dead and their operations as failed. */
export async function endStaged(
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

/** Removes a file that is being deleted together with its last revision. */
export async function endRemoval(tx: Tx, ref: FileRef, at: string): Promise<void> {
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

/** Stores a dead revision without content, with whose removal the file goes. */
export async function holdFile(tx: Tx, ref: FileRef, { id, createdAt }: Operation): Promise<FileRevision> {
  const row = await tx
    .selectFrom('assistant_files')
    .selectAll()
    .where('assistant_id', '=', ref.assistantId)
    .where('id', '=', ref.fileId)
    .executeTakeFirstOrThrow();
  const { name, metadata, size, sha256, multimodal } = fileOf(row);
  const attributes = { name, metadata, size, sha256, multimodal };
  const identity = { ...ref, id: newId(), operationId: id, createdAt };
  const revision: FileRevision = { ...attributes, ...identity, state: 'dead', processing: null };
  await tx.insertInto('assistant_revisions').values(revisionRow(revision)).execute();
  return revision;
}

export async function deletionOf(tx: Tx, { assistantId, fileId }: FileRef) {
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

export function fileState(tx: Tx, { assistantId, fileId }: FileRef) {
  return tx
    .selectFrom('assistant_files')
    .select('state')
    .where('assistant_id', '=', assistantId)
    .where('id', '=', fileId)
    .executeTakeFirst();
}

export async function updateFile(
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

export async function revisionsOf(
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

export async function setState(tx: Tx, ids: readonly string[], state: FileRevision['state']): Promise<void> {
  if (ids.length === 0) return;
  await tx.updateTable('assistant_revisions').set({ state }).where('id', 'in', ids).execute();
}

export function refOf({ assistantId, fileId }: FileRevision): FileRef {
  return { assistantId, fileId };
}
