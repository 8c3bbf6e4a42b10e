// Operations on the files of assistants in SQL.
import type { Kysely, Transaction } from 'kysely';
import { byCreation } from '../administration/page-of.ts';
import { isBefore } from '../newest-first.ts';
import type { CatalogSchema } from '../schema.ts';
import type { OperationStore } from './port.ts';
import { operationOf } from './rows.ts';

export function sqlOperations(db: Kysely<CatalogSchema>): OperationStore {
  return {
    find: async (assistantId, id) => {
      const row = await db
        .selectFrom('assistant_operations')
        .selectAll()
        .where('assistant_id', '=', assistantId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : operationOf(row);
    },

    list: async ({ assistantId, type, state }, page) => {
      let query = db.selectFrom('assistant_operations').selectAll().where('assistant_id', '=', assistantId);
      if (type !== undefined) query = query.where('type', '=', type);
      if (state !== undefined) query = query.where('state', '=', state);
      const rows = await query
        .where(isBefore('assistant_operations', page))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return byCreation(rows.map(operationOf), page.limit);
    },

    forget: async (before, limit) => {
      const ended = db
        .selectFrom('assistant_operations')
        .select('id')
        .where('completed_at', '<', before)
        .orderBy('completed_at')
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom('assistant_operations')
        .where('id', 'in', ended)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

/** Completes or fails an operation. No effect on one that has ended. */
export async function endOperation(
  tx: Transaction<CatalogSchema>,
  id: string,
  end: { readonly at: string; readonly error?: string; readonly ingestionUnits?: number },
): Promise<void> {
  const { at, error, ingestionUnits = null } = end;
  await tx
    .updateTable('assistant_operations')
    .set({
      completed_at: at,
      ...(error === undefined
        ? { state: 'Completed', percent: 100, ingestion_units: ingestionUnits }
        : { state: 'Failed', error }),
    })
    .where('id', '=', id)
    .where('state', '=', 'Processing')
    .execute();
}
