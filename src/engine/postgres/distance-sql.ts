// How far a record is from a query, as SQL, and the score that a distance means.
import type { Metric } from '../../domain/index-model.ts';
import type { QueryRequest } from '../port/reader-and-writer.ts';
import { operatorOf } from './graphs.ts';
import type { Parameters } from './parameters.ts';
import { vectorBytes } from './record-rows.ts';
import type { RecordTables } from './record-tables.ts';

export interface DistanceParts {
  readonly parameters: Parameters;
  /** Tables that the distance needs. */
  readonly joins: string[];
  readonly tables: Pick<RecordTables, 'names'>;
  /** The number of the namespace, as SQL. */
  readonly namespace: string;
}

/** True when a record's score adds a dense and a sparse part. */
export function isHybrid(metric: Metric, { values, sparse }: QueryRequest): boolean {
  return values !== null && sparse !== null && metric === 'dotproduct';
}

/** An expression that is lower for better records `r`. */
export function distanceSql(metric: Metric, request: QueryRequest, parts: DistanceParts): string {
  const { values, sparse } = request;
  const { parameters, joins } = parts;
  const scored = sparse !== null && (values === null || isHybrid(metric, request));
  if (scored) {
    const terms = `unnest(${parameters.bind([...sparse.indices])}::bigint[], ${parameters.bind([...sparse.values])}::float8[])`;
    // Without dense values, only records that share a term are found.
    joins.push(`${values === null ? 'join' : 'left join'} (
      select p.id, sum(p.weight * q.weight) as score from ${parts.tables.names.postings} p
      join ${terms} as q (term, weight) on q.term = p.term
      where p.namespace = ${parts.namespace} group by p.id) as s using (id)`);
  }
  if (values === null) return scored ? '-s.score' : 'null::float8';
  const plain = plainDistance(metric, `${parameters.bind(vectorBytes(values))}::vector`);
  return scored ? `(${plain}) - coalesce(s.score, 0)` : plain;
}

export function plainDistance(metric: Metric, vector: string): string {
  const distance = `r.dense ${operatorOf(metric)} ${vector}`;
  // A vector of zeros has no direction: its cosine counts as 0.
  return metric === 'cosine' ? `coalesce(nullif(${distance}, 'NaN'), 1)` : distance;
}

export function scoreOf(metric: Metric, distance: number): number {
  if (metric === 'euclidean') return distance * distance;
  // Not -0.
  return metric === 'cosine' ? Math.min(1, Math.max(-1, 1 - distance)) : 0 - distance;
}
