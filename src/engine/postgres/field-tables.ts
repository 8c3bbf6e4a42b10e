// How many records of a namespace have each metadata field: what lists of namespaces show without reading records.
import { fromStoredText } from '../../platform/postgres/text-coding.ts';
import type { Queryable } from './database.ts';
import type { TableNames } from './table-names.ts';

/**
 * Longer names, in bytes as stored, can be filtered but are not listed, as by the embedded engine: keys of indexes have
 * at most 2,704 bytes.
 */
const FIELD_BYTES_MAX = 1_900;

/** The names to count of a column of fields, to join with its rows. */
function namesIn(fields: string): string {
  return `lateral (select field from jsonb_object_keys(${fields}) as field
    where octet_length(field) <= ${FIELD_BYTES_MAX}) as named`;
}

/** @param stored as the keys of records' fields are stored */
export function fieldOf(stored: string): string {
  return fromStoredText(stored);
}

export class FieldTables {
  readonly #fields: string;
  readonly #records: string;

  constructor({ fields, records }: Pick<TableNames, 'fields' | 'records'>) {
    this.#fields = fields;
    this.#records = records;
  }

  /** Counts the fields of records that were inserted in this transaction. */
  async add(client: Queryable, namespace: number, ids: readonly string[]): Promise<void> {
    await client.query(
      `insert into ${this.#fields} as known (namespace, field, records)
       select namespace, field, count(*) from ${this.#records}, ${namesIn('fields')}
       where namespace = $1 and id = any($2::text[]) group by namespace, field
       on conflict (namespace, field) do update set records = known.records + excluded.records`,
      [namespace, ids],
    );
  }

  /** What follows the deletion `gone` of records of namespace $1 in one statement. A field of no record has no row. */
  get removal(): string {
    const fields = this.#fields;
    const same = `${fields}.namespace = $1 and ${fields}.field = fields_gone.field`;
    return `,
       fields_gone as (
         select field, count(*) as records from gone, ${namesIn('gone.fields')} group by field),
       fields_fewer as (
         update ${fields} set records = ${fields}.records - fields_gone.records from fields_gone
         where ${same} and ${fields}.records > fields_gone.records),
       fields_ended as (
         delete from ${fields} using fields_gone where ${same} and ${fields}.records <= fields_gone.records)`;
  }

  /** Adds the counts of a namespace to those of another one, which gets its records. */
  async copy(client: Queryable, from: number, into: number): Promise<void> {
    await client.query(
      `insert into ${this.#fields} as known (namespace, field, records)
       select $2, field, records from ${this.#fields} where namespace = $1
       on conflict (namespace, field) do update set records = known.records + excluded.records`,
      [from, into],
    );
  }

  /** Counts anew, for records that a layout without counts has left. */
  async recount(client: Queryable): Promise<void> {
    await client.query(
      `insert into ${this.#fields} (namespace, field, records)
       select namespace, field, count(*) from ${this.#records}, ${namesIn('fields')}
       group by namespace, field`,
    );
  }
}
