// The tables of an engine on PostgreSQL: one for all indexes, and three for each, named by its id alone.
import type { IndexProfile } from '../../domain/index-model.ts';

/** The schema of the engine's tables. */
export const SCHEMA = 'pinyon_records';
const INDEX_ID = /^[A-Za-z0-9_-]{1,48}$/;

/** Safe to repeat. */
export const COMMON_TABLES = `
create schema if not exists ${SCHEMA};
create extension if not exists vector;
create table if not exists ${SCHEMA}.indexes (
  id text collate "C" primary key,
  /** The number of the last write. */
  lsn bigint not null default 0
);`.replace(/\/\*\*.*\*\//g, '');

export interface TableNames {
  readonly namespaces: string;
  readonly records: string;
  readonly postings: string;
}

/** Quoted, for SQL. @throws RangeError for an id that the product has not made */
export function tablesOf(indexId: string): TableNames {
  if (!INDEX_ID.test(indexId)) throw new RangeError('the id of an index has other characters than expected');
  return {
    namespaces: `"namespaces_${indexId}"`,
    records: `"records_${indexId}"`,
    postings: `"postings_${indexId}"`,
  };
}

/** Namespaces have numbers, so that records are short and a staged namespace is published without touching them. */
export function createTables({ id, dimension }: Pick<IndexProfile, 'id' | 'dimension'>): string {
  const { namespaces, records, postings } = tablesOf(id);
  return `
create table if not exists ${namespaces} (
  number bigint generated always as identity primary key,
  owner text collate "C" not null,
  name text collate "C" not null,
  schema text,
  is_explicit boolean not null,
  records bigint not null default 0,
  bytes bigint not null default 0,
  unique (owner, name)
);
create table if not exists ${records} (
  namespace bigint not null,
  id text collate "C" not null,
  dense ${dimension === null ? 'real[]' : `vector(${dimension})`},
  sparse_indices bigint[],
  sparse_values real[],
  metadata text,
  fields jsonb not null,
  bytes bigint not null,
  primary key (namespace, id)
);
create table if not exists ${postings} (
  namespace bigint not null,
  term bigint not null,
  id text collate "C" not null,
  weight real not null,
  primary key (namespace, term, id)
);`;
}

export function dropTables(indexId: string): string {
  const { namespaces, records, postings } = tablesOf(indexId);
  return `drop table if exists ${namespaces}, ${records}, ${postings}`;
}
