// Builds the graphs of half floats again that an earlier layout has left: one after the other, each beside the old one,
// which is dropped when the new one is there. Searches and writes of other nodes go on. Safe to interrupt and to repeat.
import type { Metric } from '../../domain/index-model.ts';
import type { Queryable } from './database.ts';
import { createIndex, graphIndexes, graphOf, type RecordsIndex } from './graphs.ts';
import { SCHEMA } from './tables.ts';
import type { UpgradeOptions } from './upgrade-options.ts';

const METRICS: readonly Metric[] = ['cosine', 'euclidean', 'dotproduct'];

interface OldGraph {
  readonly id: string;
  readonly definition: string;
  /** Whether its table is no plain one, which PostgreSQL does not index concurrently. */
  readonly isSpread: boolean;
}

export async function rebuildHalfGraphs(
  client: Queryable,
  { shards, onUpgrade }: UpgradeOptions,
): Promise<void> {
  for (;;) {
    const left = await oldGraphs(client);
    const [next] = left;
    if (next === undefined) return;
    onUpgrade({ builds: 'the graph of an index', indexId: next.id, indexesLeft: left.length });
    await rebuild(client, next, next.isSpread || shards === 'citus' ? '' : 'concurrently');
  }
}

/** The new graph bears another name until the old one is gone; before it is there, so is the index of other vectors. */
async function oldGraphs(client: Queryable): Promise<readonly OldGraph[]> {
  const { rows } = await client.query<OldGraph>(
    `select distinct on (id) id, indexdef as definition, relkind = 'p' as "isSpread"
     from ${SCHEMA}.indexes
     join pg_indexes on schemaname = '${SCHEMA}' and indexname in ('graph_' || id, 'next_graph_' || id)
     join pg_class on pg_class.oid = to_regclass(format('${SCHEMA}.%I', 'records_' || id))
     where indexdef like '%halfvec%' and (
       to_regclass(format('${SCHEMA}.%I', 'others_' || id)) is null
       or to_regclass(format('${SCHEMA}.%I', 'next_graph_' || id)) is not null)
     order by id`,
  );
  return rows;
}

async function rebuild(client: Queryable, { id, definition }: OldGraph, how: '' | 'concurrently') {
  const dimension = Number(/halfvec\((\d+)\)/.exec(definition)?.[1]);
  const metric = METRICS.find((each) =>
    definition.includes(graphOf({ dimension, metric: each })?.operators ?? '?'),
  );
  const indexes = metric && graphIndexes({ id, dimension, metric });
  if (!indexes?.others) throw new Error(`The graph of index ${id} is of no known kind: ${definition}`);
  const { graph, others } = indexes;
  const next = { ...graph, name: `"next_graph_${id}"` };
  await build(client, next, how);
  await build(client, others, how);
  for (const name of [graph.name, `"zeros_${id}"`])
    await client.query(`drop index ${how} if exists ${SCHEMA}.${name}`);
  await client.query(`alter index ${SCHEMA}.${next.name} rename to ${graph.name}`);
}

/** Unless it is there. One whose build was interrupted is there without being valid. */
async function build(client: Queryable, index: RecordsIndex, how: '' | 'concurrently'): Promise<void> {
  const { rows } = await client.query<{ readonly isValid: boolean }>(
    `select indisvalid as "isValid" from pg_index where indexrelid = to_regclass($1)`,
    [`${SCHEMA}.${index.name}`],
  );
  if (rows[0]?.isValid === true) return;
  await client.query(`drop index ${how} if exists ${SCHEMA}.${index.name}`);
  await client.query(createIndex(index, how));
}
