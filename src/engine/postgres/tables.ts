// The tables of an engine on PostgreSQL: three for all indexes, and four for each, named by its id alone.
import type { IndexProfile } from '../../domain/index-model.ts';
import { createIndex, graphIndexes } from './graphs.ts';
import { type Shards, spreadBy, spreadSql } from './shards.ts';
import { tablesOf } from './table-names.ts';

/** The schema of the engine's tables. */
export const SCHEMA = 'pinyon_records';

/** The version of the layout of the tables. A release refuses layouts of later ones. */
export const LAYOUT = 5;

/**
 * What the last writes of an index have changed. As layouts before the third lack it. It refers to no other table: making
 * it would lock that one until the longest running write of any node ends.
 */
export const CHANGES_TABLE = `
create table if not exists ${SCHEMA}.namespace_changes (
  index_id text collate "C" not null,
  lsn bigint not null,
  stamp uuid not null default gen_random_uuid(),
  namespaces bigint[] not null,
  primary key (index_id, lsn)
);`;

/** Namespaces that are gone, and whose rows are to be removed. As layouts before the fifth lack it. */
export const REMOVALS_TABLE = `
create table if not exists ${SCHEMA}.namespace_removals (
  index_id text collate "C" not null,
  namespace bigint not null,
  primary key (index_id, namespace)
);`;

export const COMMON_TABLES = `
create schema if not exists ${SCHEMA};
create extension if not exists vector;
create table if not exists ${SCHEMA}.indexes (
  id text collate "C" primary key,
  /** The number of the last write. */
  lsn bigint not null default 0
);
${CHANGES_TABLE}
${REMOVALS_TABLE}
create table ${SCHEMA}.layout as select ${LAYOUT} as version;`.replace(/\/\*\*.*\*\//g, '');

type TableProfile = Pick<IndexProfile, 'id' | 'dimension' | 'metric' | 'documents'>;

/** Namespaces have numbers, so that records are short and a staged namespace is published without touching them. */
export function createTables(profile: TableProfile, shards: Shards): string {
  const { id, dimension } = profile;
  const names = tablesOf(id);
  const { namespaces, records, postings } = names;
  const hasTexts = profile.documents !== null;
  const spread = spreadBy(shards);
  return `
create table ${namespaces} (
  number bigint generated always as identity primary key,
  owner text collate "C" not null,
  name text collate "C" not null,
  schema text,
  is_explicit boolean not null,
  records bigint not null default 0,
  bytes bigint not null default 0,
  unique (owner, name)
);
create table ${records} (
  namespace bigint not null,
  id text collate "C" not null,
  dense ${dimension === null ? 'real[]' : `vector(${dimension})`},
  sparse_indices bigint[],
  sparse_values real[],
  metadata text,
  fields jsonb not null,
  bytes bigint not null,
  primary key (namespace, id)
)${spread};
create table ${postings} (
  namespace bigint not null,
  term bigint not null,
  id text collate "C" not null,
  weight real not null,
  primary key (namespace, term, id)
)${spread};
${fieldTable(id, spread)}
${hasTexts ? textTables(id, spread) : ''}
${spreadSql(shards, names, hasTexts)}
${graphSql(profile)}`;
}

function graphSql(profile: TableProfile): string {
  const { graph = null, others = null } = graphIndexes(profile) ?? {};
  return [graph, others].flatMap((index) => (index === null ? [] : [createIndex(index)])).join('\n');
}

/** As layouts before the second lack it. @param spread what follows the columns */
export function fieldTable(indexId: string, spread = ''): string {
  return `create table if not exists ${tablesOf(indexId).fields} (
  namespace bigint not null,
  field text collate "C" not null,
  records bigint not null,
  primary key (namespace, field)
)${spread};`;
}

function textTables(indexId: string, spread: string): string {
  const { texts, textFields } = tablesOf(indexId);
  return `
create table ${texts} (
  namespace bigint not null,
  field text collate "C" not null,
  term text collate "C" not null,
  id text collate "C" not null,
  length integer not null,
  positions integer[] not null,
  primary key (namespace, field, term, id)
)${spread};
create index "texts_by_id_${indexId}" on ${texts} (namespace, id);
create table ${textFields} (
  namespace bigint not null,
  field text collate "C" not null,
  tokens bigint not null,
  primary key (namespace, field)
)${spread};`;
}

export function dropTables(indexId: string): string {
  return `drop table if exists ${Object.values(tablesOf(indexId)).join(', ')}`;
}
