// Brings the tables of earlier layouts to the present one, step by step: what was interrupted goes on at the next start.
import type { Queryable } from './database.ts';
import { FieldTables } from './field-tables.ts';
import { rebuildHalfGraphs } from './half-graphs.ts';
import { tablesOf } from './table-names.ts';
import { CHANGES_TABLE, fieldTable, REMOVALS_TABLE, SCHEMA } from './tables.ts';
import type { UpgradeOptions } from './upgrade-options.ts';

interface Step {
  /** The layout that it leads to. */
  readonly version: number;
  /** In transactions of its own, safe to repeat: for what takes long. */
  readonly prepare?: (client: Queryable, options: UpgradeOptions) => Promise<void>;
  /** In one transaction with the new version. */
  readonly change?: (client: Queryable) => Promise<unknown>;
}

const STEPS: readonly Step[] = [
  // Counts the fields of records.
  { version: 2, change: countFields },
  // Notes what writes have changed.
  { version: 3, change: (client) => client.query(CHANGES_TABLE) },
  // Its graphs of half floats take every vector.
  { version: 4, prepare: rebuildHalfGraphs },
  // Removes the rows of a namespace after the namespace.
  { version: 5, change: (client) => client.query(REMOVALS_TABLE) },
];

/** @param version of the tables as they are */
export async function bringUpToDate(
  client: Queryable,
  version: number,
  options: UpgradeOptions,
): Promise<void> {
  for (const step of STEPS.filter((each) => each.version > version)) {
    await step.prepare?.(client, options);
    await inTransaction(client, async () => {
      await step.change?.(client);
      await client.query(`update ${SCHEMA}.layout set version = ${step.version}`);
    });
  }
}

/** In a session that its caller closes when it fails, which rolls back. */
export async function inTransaction<Value>(client: Queryable, work: () => Promise<Value>): Promise<Value> {
  await client.query('begin isolation level read committed');
  const value = await work();
  await client.query('commit');
  return value;
}

async function countFields(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ readonly id: string }>(`select id from ${SCHEMA}.indexes`);
  for (const { id } of rows) {
    await client.query(fieldTable(id));
    await new FieldTables(tablesOf(id)).recount(client);
  }
}
