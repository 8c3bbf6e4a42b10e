// Reads many rows some at a time: a result that the driver returns at once is in memory as a whole.
import type { QueryResultRow } from 'pg';
import type { Queryable } from './database.ts';

/**
 * The rows of a query in parts of at most `rowsMax`, by a cursor.
 * @param client of a transaction, which the caller holds until it has read all rows; one such reading at a time
 */
export async function* rowsInParts<Row extends QueryResultRow>(
  client: Queryable,
  {
    sql,
    values,
    rowsMax,
  }: { readonly sql: string; readonly values: readonly unknown[]; readonly rowsMax: number },
): AsyncGenerator<readonly Row[]> {
  const next = () => client.query<Row>(`fetch ${rowsMax} from parts`);
  // Sent at once: most results have one part.
  let [, part] = await Promise.all([
    client.query(`declare parts no scroll cursor for ${sql}`, values),
    next(),
  ]);
  yield part.rows;
  while (part.rows.length === rowsMax) {
    part = await next();
    yield part.rows;
  }
  await client.query('close parts');
}
