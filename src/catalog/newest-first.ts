// Pages of lists that show the newest first.
import { type Expression, type SqlBool, sql } from 'kysely';
import type { PageQuery } from '../domain/administration/pages.ts';

/** A condition to add to a query that is ordered by `created_at` and `id` of `table`, both descending. */
export function isBefore(table: string, { after }: PageQuery): Expression<SqlBool> {
  if (after === null) return sql<SqlBool>`1 = 1`;
  const [createdAt, id] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)];
  return sql<SqlBool>`(${createdAt}, ${id}) < (${after.createdAt}, ${after.id})`;
}
