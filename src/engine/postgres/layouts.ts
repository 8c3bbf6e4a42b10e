// Brings the tables of earlier layouts to the present one, all or nothing.
import type { Metric } from '../../domain/index-model.ts';
import type { Queryable } from './database.ts';
import { FieldTables } from './field-tables.ts';
import { graphIndexes, graphOf } from './graphs.ts';
import { tablesOf } from './table-names.ts';
import { CHANGES_TABLE, fieldTable, LAYOUT, REMOVALS_TABLE, SCHEMA } from './tables.ts';

/** The first layout that counts the fields of records. */
const COUNTS_FIELDS = 2;
/** The first layout that notes what writes have changed. */
const NOTES_CHANGES = 3;
/** The first layout whose graphs of half floats take every vector. */
const FITS_HALF_FLOATS = 4;
/** The first layout that removes the rows of a namespace after the namespace. */
const REMOVES_LATER = 5;

/** @param version of the tables as they are */
export async function bringUpToDate(client: Queryable, version: number): Promise<void> {
  if (version < COUNTS_FIELDS) await countFields(client);
  if (version < NOTES_CHANGES) await client.query(CHANGES_TABLE);
  if (version < FITS_HALF_FLOATS) await rebuildHalfGraphs(client);
  if (version < REMOVES_LATER) await client.query(REMOVALS_TABLE);
  await client.query(`update ${SCHEMA}.layout set version = ${LAYOUT}`);
}

async function countFields(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ readonly id: string }>(`select id from ${SCHEMA}.indexes`);
  for (const { id } of rows) {
    await client.query(fieldTable(id));
    await new FieldTables(tablesOf(id)).recount(client);
  }
}

/** Graphs of other vectors are as they were. */
async function rebuildHalfGraphs(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ readonly id: string; readonly definition: string }>(
    `select id, indexdef as definition from ${SCHEMA}.indexes
     join pg_indexes on schemaname = '${SCHEMA}' and indexname = 'graph_' || id
     where indexdef like '%halfvec%'`,
  );
  for (const { id, definition } of rows) {
    const dimension = Number(/halfvec\((\d+)\)/.exec(definition)?.[1]);
    const metric = METRICS.find((each) =>
      definition.includes(graphOf({ dimension, metric: each })?.operators ?? '?'),
    );
    if (metric === undefined) throw new Error(`The graph of index ${id} is of no known kind: ${definition}`);
    await client.query(`drop index "graph_${id}"; drop index if exists "zeros_${id}"`);
    await client.query(graphIndexes({ id, dimension, metric }));
  }
}

const METRICS: readonly Metric[] = ['cosine', 'euclidean', 'dotproduct'];
