// Namespaces that are gone for readers and writers, and whose rows are still to be removed: some rows at a time, so that
// no statement takes longer the larger a namespace is.
import { ADVISORY_LOCKS } from '../../platform/postgres/advisory-locks.ts';
import type { Queryable } from './database.ts';
import { REMOVALS } from './noted-removals.ts';
import { type TableNames, tablesOf } from './table-names.ts';

/** Of records, whose vectors are deleted beside them. */
const RECORDS_A_STEP = 1_000;
const ROWS_A_STEP = 10_000;

/** Forgets what is to be removed of an index, whose tables are about to be dropped. */
export async function forgetRemovals(client: Queryable, indexId: string): Promise<void> {
  await client.query(`delete from ${REMOVALS} where index_id = $1`, [indexId]);
}

/** Where a removal has come to: a step need not pass over rows that the ones before it have deleted. */
export interface RemovalPosition {
  readonly indexId: string;
  readonly namespace: number;
  /** Of the tables of the index. */
  readonly table: number;
  /** The key of the last row that was deleted there; null at its beginning. */
  readonly after: Key | null;
}

/**
 * Deletes some rows, in a transaction of its own.
 * @returns where to go on; `done` when nothing is left to remove; `busy` while another node removes
 */
export async function removeStep(
  client: Queryable,
  position: RemovalPosition | null,
): Promise<RemovalPosition | 'done' | 'busy'> {
  const { rows: locks } = await client.query<{ readonly isFree: boolean }>(
    `select pg_try_advisory_xact_lock(${ADVISORY_LOCKS.removing}) as "isFree"`,
  );
  if (locks[0]?.isFree !== true) return 'busy';
  // Before the tables of the index, as one who drops the index does.
  const { rows } = await client.query<{ readonly indexId: string; readonly namespace: number }>(
    `select index_id as "indexId", namespace from ${REMOVALS} order by index_id, namespace limit 1 for update`,
  );
  const [next] = rows;
  if (next === undefined) return 'done';
  const isSame = position?.indexId === next.indexId && position.namespace === next.namespace;
  const from = isSame ? position : { ...next, table: 0, after: null };
  const table = keyedTables(tablesOf(from.indexId))[from.table];
  if (table !== undefined) {
    const after = await deleteSome(client, table, from);
    return after === null ? { ...from, table: from.table + 1, after } : { ...from, after };
  }
  await client.query(`delete from ${REMOVALS} where index_id = $1 and namespace = $2`, [
    next.indexId,
    next.namespace,
  ]);
  return { ...from, table: from.table + 1, after: null };
}

/** Values of the columns of a key, as text. */
type Key = readonly string[];

interface KeyedTable {
  readonly name: string;
  /** Columns of its primary key after the namespace, with their types. */
  readonly key: readonly (readonly [column: string, type: string])[];
  readonly rowsMax: number;
}

/** Those with the fewest rows for each record first; some indexes lack the last ones. */
function keyedTables({ records, fields, postings, texts, textFields }: TableNames): readonly KeyedTable[] {
  const text = (column: string) => [column, 'text'] as const;
  return [
    { name: records, key: [text('id')], rowsMax: RECORDS_A_STEP },
    { name: fields, key: [text('field')], rowsMax: ROWS_A_STEP },
    { name: postings, key: [['term', 'bigint'], text('id')], rowsMax: ROWS_A_STEP },
    { name: texts, key: [text('field'), text('term'), text('id')], rowsMax: ROWS_A_STEP },
    { name: textFields, key: [text('field')], rowsMax: ROWS_A_STEP },
  ];
}

/** Deletes the next rows in the order of their keys. Returns the key of the last of them; null where no more follow. */
async function deleteSome(
  client: Queryable,
  { name, key, rowsMax }: KeyedTable,
  { namespace, after }: RemovalPosition,
): Promise<Key | null> {
  const known = await client.query<{ readonly isThere: boolean }>(
    'select to_regclass($1) is not null as "isThere"',
    [name],
  );
  if (known.rows[0]?.isThere !== true) return null;
  const columns = key.map(([column]) => column).join(', ');
  const bound = key.map(([, type], at) => `$${at + 2}::${type}`).join(', ');
  const further = after === null ? '' : ` and (${columns}) > (${bound})`;
  const { rows } = await client.query<{ readonly deleted: number; readonly last: Key | null }>(
    `with gone as (
       delete from ${name} where namespace = $1 and (${columns}) in (
         select ${columns} from ${name} where namespace = $1${further} order by ${columns} limit ${rowsMax})
       returning ${columns})
     select count(*) as deleted,
       (select array[${key.map(([column]) => `${column}::text`).join(', ')}] from gone
        order by ${key.map(([column]) => `${column} desc`).join(', ')} limit 1) as last from gone`,
    [namespace, ...(after ?? [])],
  );
  const [found] = rows;
  return found === undefined || found.deleted < rowsMax ? null : found.last;
}
