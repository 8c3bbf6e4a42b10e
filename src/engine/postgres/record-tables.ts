// The statements that change the tables of one index, within the transaction of a write.
import { textFieldsOf } from '../../domain/document-schema.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import type { StorableRecord, StoredRecord } from '../port/reader-and-writer.ts';
import type { ChangingClient, Queryable } from './database.ts';
import { FieldTables } from './field-tables.ts';
import { NAMESPACE_COLUMNS, type NamespaceRow, PUBLISHED } from './namespaces.ts';
import {
  ALL_PARTS,
  type ChangedMetadata,
  columnsOf,
  metadataColumnsOf,
  type RecordParts,
  type RecordRow,
  recordBytes,
  recordColumns,
  recordOf,
} from './record-rows.ts';
import { type TableNames, tablesOf } from './table-names.ts';
import { TextTables } from './text-tables.ts';

export interface NamespaceToAdd {
  /** '' for one that readers see. */
  readonly owner: string;
  readonly name: string;
  readonly schema: MetadataSchema | null;
  readonly isExplicit: boolean;
}

/** Of records, as a namespace counts them. */
type Counters = Pick<NamespaceRow, 'records' | 'bytes'>;

export class RecordTables {
  readonly names: TableNames;
  /** All columns of a record. */
  readonly columns: string;
  readonly #profile: Pick<IndexProfile, 'dimension'>;
  readonly #denseType: string;
  readonly #fields: FieldTables;
  /** Null on indexes of vectors. */
  readonly #texts: TextTables | null;
  readonly #textFields: ReadonlySet<string>;

  constructor({ id, dimension, documents }: Pick<IndexProfile, 'id' | 'dimension' | 'documents'>) {
    this.names = tablesOf(id);
    this.#profile = { dimension };
    this.#fields = new FieldTables(this.names);
    const fields = documents === null ? null : textFieldsOf(documents);
    this.#texts = fields === null ? null : new TextTables(this.names, fields);
    this.#textFields = new Set(fields?.keys());
    this.columns = this.columnsOf(ALL_PARTS);
    this.#denseType = dimension === null ? 'real[]' : 'vector';
  }

  /** Whether one of the fields is a full-text field. */
  hasText(fields: readonly string[]): boolean {
    return fields.some((field) => this.#textFields.has(field));
  }

  columnsOf(parts: RecordParts): string {
    return recordColumns(this.#profile, parts);
  }

  async namespace(client: Queryable, owner: string, name: string): Promise<NamespaceRow | null> {
    const { rows } = await client.query<NamespaceRow>(
      `select ${NAMESPACE_COLUMNS} from ${this.names.namespaces} where owner = $1 and name = $2`,
      [owner, name],
    );
    return rows[0] ?? null;
  }

  async addNamespace(client: ChangingClient, namespace: NamespaceToAdd): Promise<NamespaceRow> {
    const { owner, name, schema, isExplicit } = namespace;
    if (owner === PUBLISHED) await client.admit(name);
    const { rows } = await client.query<NamespaceRow>(
      `insert into ${this.names.namespaces} (owner, name, schema, is_explicit) values ($1, $2, $3, $4)
       returning ${NAMESPACE_COLUMNS}`,
      [owner, name, schema === null ? null : JSON.stringify(schema), isExplicit],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('The database returned no row for a new namespace.');
    client.touch(row.number);
    return row;
  }

  async ensureNamespace(client: ChangingClient, owner: string, name: string): Promise<NamespaceRow> {
    const known = await this.namespace(client, owner, name);
    return known ?? this.addNamespace(client, { owner, name, schema: null, isExplicit: false });
  }

  /** In the order of `ids`, without unknown ones. */
  async records(
    client: Queryable,
    namespace: number,
    ids: readonly string[],
    parts: RecordParts = ALL_PARTS,
  ): Promise<readonly StoredRecord[]> {
    const { rows } = await client.query<RecordRow>(
      `select ${this.columnsOf(parts)} from ${this.names.records} where namespace = $1 and id = any($2::text[])`,
      [namespace, ids],
    );
    const found = new Map(rows.map((row) => [row.id, recordOf(row)]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Inserts or replaces records with different ids. */
  async put(client: ChangingClient, namespace: number, records: readonly StorableRecord[]): Promise<void> {
    if (records.length === 0) return;
    const ids = records.map(({ id }) => id);
    const gone = await this.#take(client, namespace, 'id = any($2::text[])', [ids]);
    const bytes = records.reduce((sum, record) => sum + recordBytes(record), 0);
    await client.query(
      `insert into ${this.names.records} (namespace, id, dense, sparse_indices, sparse_values, metadata, fields, bytes)
       select $1, id, dense::${this.#denseType}, indices::bigint[], weights::real[], metadata, fields::jsonb, bytes
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[])
         as given (id, dense, indices, weights, metadata, fields, bytes)`,
      [namespace, ...columnsOf(records, this.#textFields)],
    );
    // Sent at once, and run one after the other; the long one is not among them, since they share the time of one.
    await Promise.all([
      client.query(
        `insert into ${this.names.postings} (namespace, term, id, weight)
         select namespace, unnest(sparse_indices), id, unnest(sparse_values) from ${this.names.records}
         where namespace = $1 and id = any($2::text[]) and sparse_indices is not null`,
        [namespace, ids],
      ),
      this.#fields.add(client, namespace, ids),
      this.#count(client, namespace, { records: records.length - gone.records, bytes: bytes - gone.bytes }),
    ]);
    await this.#texts?.put(client, namespace, records);
  }

  /**
   * Replaces the metadata of records with different ids. Vectors stay as they are, and so do the terms of texts that the
   * change leaves alone.
   */
  async putMetadata(
    client: ChangingClient,
    namespace: number,
    records: readonly ChangedMetadata[],
    changesTexts: boolean,
  ): Promise<void> {
    if (records.length === 0) return;
    client.touch(namespace);
    const ids = records.map(({ id }) => id);
    const texts = changesTexts ? this.#texts : null;
    await client.query(
      `with gone as (
         select id, fields from ${this.names.records} where namespace = $1 and id = any($2::text[]))
         ${this.#fields.removal}${texts?.removal ?? ''}
       select from gone limit 0`,
      [namespace, ids],
    );
    await client.query(
      `update ${this.names.records} as known
       set metadata = given.metadata, fields = given.fields::jsonb, bytes = known.bytes + given.added
       from unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) as given (id, metadata, fields, added)
       where known.namespace = $1 and known.id = given.id`,
      [namespace, ...metadataColumnsOf(records, this.#textFields)],
    );
    const bytes = records.reduce((sum, { bytesAdded }) => sum + bytesAdded, 0);
    await Promise.all([
      this.#fields.add(client, namespace, ids),
      this.#count(client, namespace, { records: 0, bytes }),
    ]);
    await texts?.put(client, namespace, records);
  }

  /**
   * Deletes records and returns how many.
   * @param condition on their columns, with parameters from $2 on
   */
  async remove(
    client: ChangingClient,
    namespace: number,
    condition: string,
    values: readonly unknown[],
  ): Promise<number> {
    const gone = await this.#take(client, namespace, condition, values);
    if (gone.records > 0)
      await this.#count(client, namespace, { records: -gone.records, bytes: -gone.bytes });
    return gone.records;
  }

  /** Deletes records as `remove` does, but leaves the counters of the namespace. */
  async #take(
    client: ChangingClient,
    namespace: number,
    condition: string,
    values: readonly unknown[],
  ): Promise<Counters> {
    client.touch(namespace);
    const { rows } = await client.query<Counters>(
      `with gone as (
         delete from ${this.names.records} where namespace = $1 and ${condition} returning id, bytes, sparse_indices, fields),
       terms as (
         delete from ${this.names.postings} using gone
         where namespace = $1 and term = any(gone.sparse_indices) and ${this.names.postings}.id = gone.id)
         ${this.#fields.removal}${this.#texts?.removal ?? ''}
       select count(*) as records, coalesce(sum(bytes), 0) as bytes from gone`,
      [namespace, ...values],
    );
    return rows[0] ?? { records: 0, bytes: 0 };
  }

  /**
   * Changes the counters of a namespace. In a statement of its own: Citus does not change a table that all servers share
   * in one that changes distributed tables.
   */
  async #count(client: Queryable, namespace: number, { records, bytes }: Counters): Promise<void> {
    await client.query(
      `update ${this.names.namespaces} set records = records + $2::bigint, bytes = bytes + $3::bigint where number = $1`,
      [namespace, records, bytes],
    );
  }

  /** Removes a namespace that an upsert created when it has no records left, as `dropNamespace` does. */
  async dropIfEmptied(client: ChangingClient, namespace: number): Promise<void> {
    client.touch(namespace);
    const { rows } = await client.query(
      `delete from ${this.names.namespaces} where number = $1 and records = 0 and not is_explicit returning number`,
      [namespace],
    );
    // Sums of its fields are left.
    if (rows.length > 0) client.discard(namespace);
  }

  /**
   * Gives all records of a namespace to another one, which has none of their ids, and drops it. They are copied: the number
   * of a namespace may tell the server of its records.
   */
  async move(client: ChangingClient, from: NamespaceRow, into: number): Promise<void> {
    client.touch(into);
    const { records, postings } = this.names;
    for (const [table, columns] of [
      [records, 'id, dense, sparse_indices, sparse_values, metadata, fields, bytes'],
      [postings, 'term, id, weight'],
    ] as const)
      await client.query(
        `insert into ${table} (namespace, ${columns}) select $2, ${columns} from ${table} where namespace = $1`,
        [from.number, into],
      );
    await this.#fields.copy(client, from.number, into);
    await this.#texts?.copy(client, from.number, into);
    await this.#count(client, into, from);
    await this.dropNamespace(client, from.number);
  }

  /** Removes a namespace from all readers and writers; its rows are removed later, however many there are. */
  async dropNamespace(client: ChangingClient, namespace: number): Promise<void> {
    client.touch(namespace);
    client.discard(namespace);
    await client.query(`delete from ${this.names.namespaces} where number = $1`, [namespace]);
  }
}
