// Pages in SQL: the condition that continues a list, and the extra row that shows whether it goes on.
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Page, PageQuery, Position } from '../../domain/administration/pages.ts';

/** Rows of one insert; databases bound the parameters of a statement. */
const INSERT_ROWS_MAX = 500;

/** A condition to add to a query that is ordered by `created_at` and `id` of `table`. */
export function isAfter(table: string, { after }: PageQuery): Expression<SqlBool> {
  if (after === null) return sql<SqlBool>`1 = 1`;
  const [createdAt, id] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)];
  return sql<SqlBool>`(${createdAt}, ${id}) > (${after.createdAt}, ${after.id})`;
}

/** `rows` has one more than `limit` when the list goes on. */
export function splitPage<Item>(
  rows: readonly Item[],
  limit: number,
  positionOf: (item: Item) => Position,
): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? positionOf(last) : null };
}

export function byCreation<Item extends Position>(rows: readonly Item[], limit: number): Page<Item> {
  return splitPage(rows, limit, ({ createdAt, id }) => ({ createdAt, id }));
}

export function* inPieces<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += INSERT_ROWS_MAX) yield rows.slice(at, at + INSERT_ROWS_MAX);
}
