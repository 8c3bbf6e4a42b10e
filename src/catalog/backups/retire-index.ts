// The effect of an index's deletion on its collections, backups and schedules.
import type { Transaction } from 'kysely';
import { fault } from '../../domain/faults.ts';
import type { Index } from '../../domain/index-model.ts';
import type { CatalogSchema } from '../schema.ts';

/**
 * Marks backups with the time of the deletion; deletes schedules and their planned runs.
 * @throws pending-collections
 */
export async function retireIndex(tx: Transaction<CatalogSchema>, { id }: Index, now: string): Promise<void> {
  const pending = await tx
    .selectFrom('archives')
    .select('name')
    .where('source_index_id', '=', id)
    .where('face', '=', 'collection')
    .where('state', '=', 'Initializing')
    .orderBy('name')
    .execute();
  if (pending.length > 0) {
    throw fault('pending-collections', { names: pending.map(({ name }) => `'${name}'`).join(', ') });
  }
  await tx
    .deleteFrom('archives')
    .where('source_index_id', '=', id)
    .where('state', '=', 'Scheduled')
    .execute();
  await tx
    .updateTable('archives')
    .set({ source_deleted_at: now })
    .where('source_index_id', '=', id)
    .where('source_deleted_at', 'is', null)
    .execute();
  await tx.deleteFrom('backup_schedules').where('index_id', '=', id).execute();
}
