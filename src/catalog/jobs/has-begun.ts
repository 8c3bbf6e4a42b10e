// Which jobs have begun, and may have left something at the node that ran them.
import type { ExpressionBuilder } from 'kysely';
import type { CatalogSchema } from '../schema.ts';

/** As SQL. A job that an orderly stop interrupts gives its attempt back, but keeps the time of its start. */
export function hasBegun({ or, eb }: ExpressionBuilder<CatalogSchema, 'jobs'>) {
  return or([eb('jobs.attempts', '>', 0), eb('jobs.started_at', 'is not', null)]);
}
