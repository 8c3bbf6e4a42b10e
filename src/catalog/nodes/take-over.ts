// Takes over what a dead node has, in the transaction that decides what becomes of it. The next epoch is the fence: the
// former owner serves nothing of it when it is back, and removes what it still has.
import type { Transaction } from 'kysely';
import type { Assistant } from '../../domain/assistants/assistant.ts';
import { storagesOf } from '../../domain/embedding/model-change.ts';
import { fault } from '../../domain/faults.ts';
import { ACTIVE_JOB_STATES } from '../../domain/jobs.ts';
import { ENDED_WITH_NODE } from '../../domain/nodes/takeover.ts';
import { indexOf, rowOf } from '../indexes/index-row.ts';
import { insertJob } from '../jobs/job-rows.ts';
import type { CatalogSchema, NodeTable, PlacementTable } from '../schema.ts';
import type { AssistantTakeover, IndexTakeover, Placement, PlacementRef } from './port.ts';

type Tx = Transaction<CatalogSchema>;

/** What jobs of an index say that were under way when its node was lost. */
const LOST = 'The node of the index was lost. Begin this again.';

export function nodeRow(tx: Tx, id: string): Promise<NodeTable | undefined> {
  return tx.selectFrom('nodes').selectAll().where('id', '=', id).executeTakeFirst();
}

export function placementRow(tx: Tx, id: string): Promise<PlacementTable | undefined> {
  return tx.selectFrom('placements').selectAll().where('id', '=', id).executeTakeFirst();
}

/** False when it has another owner or epoch by now. */
export async function setPlacement(
  tx: Tx,
  { id, nodeId, epoch }: PlacementRef,
  change: Partial<PlacementTable>,
): Promise<boolean> {
  const result = await tx
    .updateTable('placements')
    .set(change)
    .where('id', '=', id)
    .where('node_id', '=', nodeId)
    .where('epoch', '=', epoch)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Notes storage that a node is to remove, when it is alive. */
export async function leaveBehind(
  tx: Tx,
  { nodeId, now: since }: { readonly nodeId: string; readonly now: string },
  storageIds: readonly string[],
): Promise<void> {
  for (const storageId of storageIds)
    await tx
      .insertInto('node_leftovers')
      .values({ node_id: nodeId, storage_id: storageId, job_id: null, part: null, since })
      .onConflict((conflict) => conflict.columns(['node_id', 'storage_id']).doUpdateSet({ job_id: null }))
      .execute();
}

/** Forgets where an index is placed, when its owner has removed it. Its copy, if there is one, is left to the node that has it. */
export async function removePlacement(tx: Tx, id: string, now: string): Promise<void> {
  const row = await placementRow(tx, id);
  if (row === undefined) return;
  await leaveCopyBehind(tx, row, now);
  await tx.deleteFrom('placements').where('id', '=', id).execute();
}

/** The row is about to forget the copy, and its node finds it by nothing else. */
async function leaveCopyBehind(tx: Tx, row: PlacementTable, now: string): Promise<void> {
  if (row.copy_node_id !== null && row.copy_storage_id !== null)
    await leaveBehind(tx, { nodeId: row.copy_node_id, now }, [row.copy_storage_id]);
}

/**
 * Makes sure that `nodeId` has an index that is about to be deleted.
 * @returns where it is placed from now on; null when it is on no node
 * @throws index-elsewhere while another node has it, and is alive
 */
export async function ownForDeletion(
  tx: Tx,
  index: Parameters<typeof storagesOf>[0],
  by: { readonly nodeId: string; readonly now: string },
): Promise<Placement | null> {
  const row = await placementRow(tx, index.id);
  if (row === undefined) return null;
  const epoch = Number(row.epoch);
  if (row.node_id === by.nodeId) return { nodeId: by.nodeId, epoch };
  if (await isAlive(tx, row.node_id, by.now)) throw fault('index-elsewhere');
  await giveTo(tx, row, { ...by, left: storagesOf(index) });
  await endJobs(tx, index.id, 'cancelled');
  return { nodeId: by.nodeId, epoch: epoch + 1 };
}

/**
 * The fence of changes: only the owner makes them, but for some while it is dead.
 * @returns the address of the owner when that is another node, and dead; else null
 * @throws index-elsewhere while another node has it, and is alive
 */
export async function deadOwner(
  tx: Tx,
  indexId: string,
  by: { readonly nodeId: string; readonly now: string },
): Promise<string | null> {
  const row = await placementRow(tx, indexId);
  if (row === undefined || row.node_id === by.nodeId) return null;
  const node = await nodeRow(tx, row.node_id);
  if (node !== undefined && node.lease_until > by.now) throw fault('index-elsewhere');
  return node?.address ?? row.node_id;
}

/** As `ownForDeletion`; an assistant whose node is alive stays there, and so does the job that removes it. */
export async function ownAssistantForDeletion(
  tx: Tx,
  id: string,
  by: { readonly nodeId: string; readonly now: string },
): Promise<void> {
  const row = await placementRow(tx, id);
  if (row === undefined || row.node_id === by.nodeId || (await isAlive(tx, row.node_id, by.now))) return;
  await giveTo(tx, row, { ...by, left: await chunkStorages(tx, id) });
  // The removal leaves nothing of what they would undo, and its chunks are not here.
  await tx
    .updateTable('jobs')
    .set({ lease_owner: null, lease_until: null, state: 'Cancelled', finished_at: new Date().toISOString() })
    .where('index_id', '=', id)
    .where('state', 'in', ACTIVE_JOB_STATES)
    .execute();
}

/** @returns false when it may not, or no longer, be taken over */
export async function takeOverIndex(
  tx: Tx,
  { ref, nodeId, storageId, withVectors, job }: IndexTakeover,
  now: string,
): Promise<boolean> {
  const stored = await tx.selectFrom('indexes').selectAll().where('id', '=', ref.id).executeTakeFirst();
  if (stored === undefined || stored.state === 'Terminating') return false;
  // One that an earlier backup could not fill has nothing to lose.
  const row = await takeable(tx, ref, { nodeId, now, isEmpty: stored.state === 'InitializationFailed' });
  if (row === null) return false;
  const index = indexOf({ ...stored, node_id: null, epoch: null });
  await giveTo(tx, row, { nodeId, now, left: storagesOf(index) });
  await endJobs(tx, ref.id, 'lost');
  const { embed, documents } = rowOf(withVectors(index));
  await tx
    .updateTable('indexes')
    .set({ state: 'Initializing', storage_id: storageId, model_change: null, embed, documents })
    .where('id', '=', ref.id)
    .execute();
  await insertJob(tx, job);
  return true;
}

/** @returns as `takeOverIndex` */
export async function takeOverAssistant(
  tx: Tx,
  { ref, nodeId, denseIndexId, sparseIndexId, job }: AssistantTakeover,
  now: string,
): Promise<boolean> {
  const row = await takeable(tx, ref, { nodeId, now });
  const stored = await tx
    .selectFrom('assistants')
    .select('state')
    .where('id', '=', ref.id)
    .executeTakeFirst();
  const state: Assistant['state'] | undefined = stored?.state;
  // Empty indexes: whoever asks a moment later finds them.
  const made = await tx
    .selectFrom('node_leftovers')
    .select('storage_id')
    .where('node_id', '=', nodeId)
    .where('job_id', '=', job.id)
    .where('storage_id', 'in', [denseIndexId, sparseIndexId])
    .execute();
  // What was made stays noted, and its node removes it.
  if (row === null || state !== 'Ready' || made.length !== 2) return false;
  await tx
    .deleteFrom('node_leftovers')
    .where('node_id', '=', nodeId)
    .where('storage_id', 'in', [denseIndexId, sparseIndexId])
    .execute();
  await giveTo(tx, row, { nodeId, now, left: await chunkStorages(tx, ref.id) });
  await tx
    .updateTable('assistants')
    .set({ dense_index_id: denseIndexId, sparse_index_id: sparseIndexId })
    .where('id', '=', ref.id)
    .execute();
  await endJobs(tx, ref.id, 'resumed');
  await markStale(tx, ref.id);
  await insertJob(tx, job);
  return true;
}

/** Live revisions of an assistant become stale, and their files are Processing. */
export async function markStale(tx: Tx, assistantId: string): Promise<void> {
  const stale = await tx
    .updateTable('assistant_revisions')
    .set({ state: 'stale' })
    .where('assistant_id', '=', assistantId)
    .where('state', '=', 'live')
    .returning('id')
    .execute();
  for (const { id: revisionId } of stale) {
    await tx
      .updateTable('assistant_files')
      .set({ state: 'Processing', percent: 0, error: null })
      .where('assistant_id', '=', assistantId)
      .where('revision_id', '=', revisionId)
      .where('state', '=', 'Available')
      .execute();
  }
}

async function isAlive(tx: Tx, nodeId: string, now: string): Promise<boolean> {
  const node = await nodeRow(tx, nodeId);
  return node !== undefined && node.lease_until > now;
}

/** The placement, when its owner is dead and the node that takes over is not. */
async function takeable(
  tx: Tx,
  ref: PlacementRef,
  {
    nodeId,
    now,
    isEmpty = false,
  }: { readonly nodeId: string; readonly now: string; readonly isEmpty?: boolean },
): Promise<PlacementTable | null> {
  const row = await placementRow(tx, ref.id);
  if (row === undefined || row.node_id !== ref.nodeId || Number(row.epoch) !== ref.epoch) return null;
  const isFree = isEmpty || !(await isAlive(tx, row.node_id, now));
  if (!isFree || !(await isAlive(tx, nodeId, now))) return null;
  return row;
}

async function giveTo(
  tx: Tx,
  row: PlacementTable,
  { nodeId, now, left }: { readonly nodeId: string; readonly now: string; readonly left: readonly string[] },
): Promise<void> {
  await leaveBehind(tx, { nodeId: row.node_id, now }, left);
  await leaveCopyBehind(tx, row, now);
  const noCopy = { copy_node_id: null, copy_storage_id: null, is_copy_condemned: 0 };
  await tx
    .updateTable('placements')
    .set({ node_id: nodeId, epoch: Number(row.epoch) + 1, is_held: 0, ...noCopy })
    .where('id', '=', row.id)
    .execute();
}

async function chunkStorages(tx: Tx, id: string): Promise<readonly string[]> {
  const row = await tx
    .selectFrom('assistants')
    .select(['dense_index_id', 'sparse_index_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? [] : [row.dense_index_id ?? id, row.sparse_index_id];
}

/**
 * What becomes of the jobs that a dead node has left. Its leases end with it.
 * @param how `lost`: what they have stored is lost, so they fail; `resumed`: they repeat it; `cancelled`: nobody wants them
 */
async function endJobs(tx: Tx, indexId: string, how: 'lost' | 'resumed' | 'cancelled'): Promise<void> {
  const at = new Date().toISOString();
  const unleased = { lease_owner: null, lease_until: null };
  await tx
    .updateTable('jobs')
    .set({ ...unleased, state: 'Failed', error: LOST, finished_at: at })
    .where('index_id', '=', indexId)
    .where('state', 'in', ACTIVE_JOB_STATES)
    .where('kind', 'in', ENDED_WITH_NODE)
    .execute();
  const undone = { state: 'Undoing', ...(how === 'cancelled' ? { cancelled: 1 } : { error: LOST }) } as const;
  await tx
    .updateTable('jobs')
    .set({ ...unleased, due_at: new Date(0).toISOString(), ...(how !== 'resumed' && undone) })
    .where('index_id', '=', indexId)
    .where('state', 'in', ACTIVE_JOB_STATES)
    .execute();
}
