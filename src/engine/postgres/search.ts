// Searches of one namespace on PostgreSQL: the top records by SQL, their scores exact.
import type { Filter } from '../../domain/filter/grammar.ts';
import type { IndexProfile, Metric } from '../../domain/index-model.ts';
import type { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import type { Match, QueryRequest } from '../port/reader-and-writer.ts';
import type { Queryable } from './database.ts';
import type { NamespaceRow } from './namespaces.ts';
import { Parameters } from './parameters.ts';
import { RECORD_COLUMNS, type RecordRow, recordOf, vectorText } from './record-rows.ts';
import type { RecordTables } from './record-tables.ts';

export interface SearchContext {
  readonly client: Queryable;
  readonly row: NamespaceRow;
  readonly profile: IndexProfile;
  readonly tables: RecordTables;
  readonly condition: (row: NamespaceRow, filter: Filter | null, parameters: Parameters) => string;
  readonly explain: QueryExplain | null;
}

type ScoredRow = RecordRow & { readonly distance: number };

export async function searchNamespace(
  context: SearchContext,
  request: QueryRequest,
): Promise<readonly Match[]> {
  const { client, row, profile, tables, condition, explain } = context;
  explain?.startTry(row.records);
  const metric = rankingMetric(profile, request);
  const parameters = new Parameters();
  const conditions = [condition(row, request.filter, parameters)];
  const { requiredTerms } = request;
  if (requiredTerms !== undefined && requiredTerms.length > 0)
    conditions.push(`coalesce(sparse_indices @> ${parameters.bind([...requiredTerms])}::bigint[], false)`);
  if (explain !== null) {
    const { rows } = await client.query<{ matched: number }>(
      `select count(*) as matched from ${tables.names.records} where ${conditions.join(' and ')}`,
      [...parameters.values],
    );
    explain.endStage('filter');
    explain.structure = request.values === null ? 'postings' : 'scan';
    explain.matched = rows[0]?.matched ?? 0;
  }
  const joins: string[] = [];
  const distance = distanceSql(metric, request, { parameters, joins, tables, row });
  const { rows } = await client.query<ScoredRow>(
    `select ${RECORD_COLUMNS}, distance from (
       select r.*, ${distance} as distance from ${tables.names.records} r ${joins.join(' ')}
       where ${conditions.join(' and ')}) as scored
     order by distance, id limit ${parameters.bind(request.topK)}`,
    parameters.values,
  );
  if (explain) {
    explain.rowsScored += rows.length;
    explain.endStage('search');
  }
  return rows.map((found) => matchOf(found, metric, request));
}

interface DistanceParts {
  readonly parameters: Parameters;
  /** Tables that the distance needs. */
  readonly joins: string[];
  readonly tables: RecordTables;
  readonly row: NamespaceRow;
}

/** An expression that is lower for better records. */
function distanceSql(metric: Metric, request: QueryRequest, parts: DistanceParts): string {
  const { values, sparse } = request;
  const { parameters, joins } = parts;
  const scored = sparse !== null && (values === null || metric === 'dotproduct');
  if (scored) {
    const terms = `unnest(${parameters.bind([...sparse.indices])}::bigint[], ${parameters.bind([...sparse.values])}::float8[])`;
    // Without dense values, only records that share a term are found.
    joins.push(`${values === null ? 'join' : 'left join'} (
      select p.id, sum(p.weight * q.weight) as score from ${parts.tables.names.postings} p
      join ${terms} as q (term, weight) on q.term = p.term
      where p.namespace = ${parameters.bind(parts.row.number)} group by p.id) as s using (id)`);
  }
  if (values === null) return scored ? '-s.score' : 'null::float8';
  const vector = `${parameters.bind(vectorText(values))}::vector`;
  if (metric === 'euclidean') return `r.dense <-> ${vector}`;
  // A vector of zeros has no direction: its cosine counts as 0.
  if (metric === 'cosine') return `coalesce(nullif(r.dense <=> ${vector}, 'NaN'), 1)`;
  return scored ? `(r.dense <#> ${vector}) - coalesce(s.score, 0)` : `r.dense <#> ${vector}`;
}

function matchOf(row: ScoredRow, metric: Metric, request: QueryRequest): Match {
  const { id, values, sparse, metadataJson } = recordOf(row);
  return {
    id,
    score: scoreOf(metric, row.distance),
    ...(request.includeValues ? { values, sparse } : {}),
    ...(request.includeMetadata ? { metadataJson } : {}),
  };
}

function scoreOf(metric: Metric, distance: number): number {
  if (metric === 'euclidean') return distance * distance;
  // Not -0.
  return metric === 'cosine' ? Math.min(1, Math.max(-1, 1 - distance)) : 0 - distance;
}
