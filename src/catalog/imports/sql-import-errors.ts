// The errors of imports over SQL.
import type { Kysely } from 'kysely';
import type { ImportError } from '../../domain/imports/import-model.ts';
import type { CatalogSchema } from '../schema.ts';
import type { ImportErrorStore } from './port.ts';

/** Databases bound the parameters of a statement; a row has six. */
const ROWS_PER_STATEMENT = 100;

export function sqlImportErrors(db: Kysely<CatalogSchema>): ImportErrorStore {
  return {
    put: (importId, first, errors) =>
      db.transaction().execute(async (transaction) => {
        const rows = errors.map((error, at) => ({
          import_id: importId,
          number: first + at,
          ...columnsOf(error),
        }));
        for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
          await transaction
            .insertInto('import_errors')
            .values(rows.slice(at, at + ROWS_PER_STATEMENT))
            .onConflict((conflict) =>
              conflict.columns(['import_id', 'number']).doUpdateSet(({ ref }) => ({
                file: ref('excluded.file'),
                row: ref('excluded.row'),
                record_id: ref('excluded.record_id'),
                reason: ref('excluded.reason'),
              })),
            )
            .execute();
        }
      }),
    list: async (importId, { first, limit }) => {
      const rows = await db
        .selectFrom('import_errors')
        .selectAll()
        .where('import_id', '=', importId)
        .where('number', '>=', first)
        .orderBy('number')
        .limit(limit)
        .execute();
      return rows.map(({ file, row, record_id: id, reason }) => ({ file, row, id, reason }));
    },
    deleteOrphans: () => deleteOrphanedErrors(db),
  };
}

/** Removes the errors of imports without a job. */
export async function deleteOrphanedErrors(db: Kysely<CatalogSchema>): Promise<void> {
  await db
    .deleteFrom('import_errors')
    .where('import_id', 'not in', (query) => query.selectFrom('jobs').select('jobs.id'))
    .execute();
}

/** Removes the errors of all imports into an index, whose jobs are kept. */
export async function deleteErrorsOf(db: Kysely<CatalogSchema>, indexId: string): Promise<void> {
  await db
    .deleteFrom('import_errors')
    .where('import_id', 'in', (query) =>
      query.selectFrom('jobs').select('jobs.id').where('index_id', '=', indexId),
    )
    .execute();
}

function columnsOf({ file, row, id, reason }: ImportError) {
  return { file, row, record_id: id, reason };
}
