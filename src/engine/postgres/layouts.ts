// Brings the tables of earlier layouts to the present one, all or nothing.
import type { Queryable } from './database.ts';
import { FieldTables } from './field-tables.ts';
import { tablesOf } from './table-names.ts';
import { CHANGES_TABLE, fieldTable, LAYOUT, SCHEMA } from './tables.ts';

/** The first layout that counts the fields of records. */
const COUNTS_FIELDS = 2;
/** The first layout that notes what writes have changed. */
const NOTES_CHANGES = 3;

/** @param version of the tables as they are */
export async function bringUpToDate(client: Queryable, version: number): Promise<void> {
  if (version < COUNTS_FIELDS) await countFields(client);
  if (version < NOTES_CHANGES) await client.query(CHANGES_TABLE);
  await client.query(`update ${SCHEMA}.layout set version = ${LAYOUT}`);
}

async function countFields(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ readonly id: string }>(`select id from ${SCHEMA}.indexes`);
  for (const { id } of rows) {
    await client.query(fieldTable(id));
    await new FieldTables(tablesOf(id)).recount(client);
  }
}
