// The namespaces of an index: rows with counters, which change in the transaction of every write.
import { textFieldsOf } from '../../domain/document-schema.ts';
import type { IndexProfile, MetadataSchema } from '../../domain/index-model.ts';
import { parseOwnJson } from '../../domain/json.ts';
import type { Lsn, NamespaceSummary } from '../port/reader-and-writer.ts';

/** The owner of namespaces that readers see; staged ones belong to jobs. */
export const PUBLISHED = '';
export const NAMESPACE_COLUMNS = 'number, name, schema, is_explicit as "isExplicit", records, bytes';

export interface NamespaceRow {
  readonly number: number;
  readonly name: string;
  readonly schema: string | null;
  readonly isExplicit: boolean;
  readonly records: number;
  readonly bytes: number;
}

export function summaryOf(row: NamespaceRow): NamespaceSummary {
  const { number, name, records, bytes, schema, isExplicit } = row;
  return { number, name, recordCount: records, sizeBytes: bytes, schema: schemaOf(schema), isExplicit };
}

export function schemaOf(text: string | null): MetadataSchema | null {
  // Only the engine writes the column.
  return text === null ? null : parseOwnJson<MetadataSchema>(text);
}

/** The fields that filters can use in a namespace; null for all that are no texts. */
export function filterableFieldsOf(
  profile: Pick<IndexProfile, 'filterableFields'>,
  { schema }: Pick<NamespaceRow, 'schema'>,
): ReadonlySet<string> | null {
  const own = schemaOf(schema);
  const fields = own === null ? profile.filterableFields : Object.keys(own.fields);
  return fields === null ? null : new Set(fields);
}

export function isFilterableIn(
  profile: Pick<IndexProfile, 'filterableFields' | 'documents'>,
  namespace: Pick<NamespaceRow, 'schema'>,
): (field: string) => boolean {
  const fields = filterableFieldsOf(profile, namespace);
  const texts = profile.documents === null ? new Map() : textFieldsOf(profile.documents);
  return (field) => !texts.has(field) && (fields?.has(field) ?? true);
}

/** What a statement on the tables of an index finds besides records: the state that it read them in. */
export interface ReadState {
  /** Of the last write that it saw. */
  readonly lsn: Lsn;
  /** Null where there is no such namespace. */
  readonly row: NamespaceRow | null;
}

/** Columns of `stateFrom`, beside which a statement has those of records. */
export const STATE_COLUMNS = `i.lsn, n.number, n.schema, n.is_explicit as "isExplicit", n.records, n.bytes`;

/** The index `i` and its published namespace `n`; no row for an index that does not exist. @param name as SQL */
export function stateFrom(namespaces: string, name: string): string {
  return `indexes i left join ${namespaces} n on n.owner = '${PUBLISHED}' and n.name = ${name}`;
}

export interface StateRow extends Omit<NamespaceRow, 'name' | 'number'> {
  readonly lsn: Lsn;
  readonly number: number | null;
}

export function stateOf({ lsn, number, ...row }: StateRow, name: string): ReadState {
  const { schema, isExplicit, records, bytes } = row;
  return { lsn, row: number === null ? null : { number, name, schema, isExplicit, records, bytes } };
}
