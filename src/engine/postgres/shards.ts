// How the tables of an index are spread by the numbers of namespaces: over the partitions of one server, or by Citus over
// many.
import type { TableNames } from './table-names.ts';

/** `none` for plain tables; the number of partitions of each; or distributed by Citus. */
export type Shards = 'none' | 'citus' | number;

export const PARTITIONS_MAX = 64;

/** The tables whose first column is the number of a namespace, without those that an index lacks. */
export function spreadTables(names: TableNames, hasTexts: boolean): readonly [string, ...string[]] {
  const { records, postings, fields, texts, textFields } = names;
  return [records, postings, fields, ...(hasTexts ? [texts, textFields] : [])];
}

/** What follows the columns of a table that is spread. */
export function spreadBy(shards: Shards): string {
  return typeof shards === 'number' ? ' partition by hash (namespace)' : '';
}

/** SQL that spreads the tables of a new index. */
export function spreadSql(shards: Shards, names: TableNames, hasTexts: boolean): string {
  const tables = spreadTables(names, hasTexts);
  if (shards === 'none') return '';
  if (shards === 'citus') return distributeSql(names, tables);
  return tables
    .flatMap((table) =>
      Array.from(
        { length: shards },
        (_, at) =>
          `create table ${partitionOf(table, at)} partition of ${table} for values with (modulus ${shards}, remainder ${at});`,
      ),
    )
    .join('\n');
}

/** Quoted, as the table is. Its length is that of the longest id's table and three: 63 bytes, as PostgreSQL allows. */
function partitionOf(table: string, at: number): string {
  return `${table.slice(0, -1)}/${at}"`;
}

/** What belongs to one namespace is on one server; each server has the list of namespaces. */
function distributeSql(
  { namespaces }: TableNames,
  [first, ...others]: readonly [string, ...string[]],
): string {
  const distribute = (table: string, beside: string) =>
    `select create_distributed_table('${table}', 'namespace', colocate_with => '${beside}');`;
  return [
    // Tables that a transaction has just made are not yet seen by other connections to their servers.
    `set local citus.multi_shard_modify_mode = 'sequential';`,
    `select create_reference_table('${namespaces}');`,
    distribute(first, 'none'),
    ...others.map((table) => distribute(table, first)),
  ].join('\n');
}

/** The bytes of a table with all its parts, as SQL. @param table as SQL: the parameter with its name */
export function bytesSql(shards: Shards, table: string): string {
  // An index that is older than the setting has plain tables, which Citus does not measure, and which are no tree.
  if (shards === 'citus')
    return `case when exists (select from pg_dist_partition where logicalrelid = ${table}::regclass)
      then citus_total_relation_size(${table}::regclass) else pg_total_relation_size(${table}::regclass) end`;
  const parts = `select sum(pg_total_relation_size(relid)) from pg_partition_tree(${table}::regclass)`;
  return `greatest(pg_total_relation_size(${table}::regclass), coalesce((${parts}), 0))`;
}
