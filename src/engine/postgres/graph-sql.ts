// Searches by pgvector's graph, as SQL: its settings, and the candidates that it yields.
import type { Metric } from '../../domain/index-model.ts';
import type { QueryRequest } from '../port/reader-and-writer.ts';
import { isHybrid, plainDistance } from './distance-sql.ts';
import { graphFinds, graphOf, operatorOf } from './graphs.ts';
import type { Parameters } from './parameters.ts';
import { vectorBytes } from './record-rows.ts';
import type { RecordTables } from './record-tables.ts';

/** Namespaces of up to so many records are searched exactly, which is as fast. */
export const EXACT_RECORDS_MAX = 10_000;
const EF_MIN = 200;
/** pgvector takes no more. */
const EF_MAX = 1_000;
const EF_PER_RESULT = 4;
/** Records that the graph yields before it gives up on a filter: so many, and more for more results. */
const SCANNED_MIN = 20_000;
const SCANNED_PER_RESULT = 8;
/** An exact search of more records may take longer than a statement may: the results of the graph stand, if there are enough. */
const EXACT_AGAIN_RECORDS_MAX = 200_000;
/**
 * The graph goes on beyond the first matches, and finds nearer ones that it had passed. Each search needs that: what it
 * is not about passes through the graph, too, whether records of other namespaces or those that are deleted and not yet
 * vacuumed. The order of half floats is not quite that of floats, besides.
 */
const OVERFETCH = 4;
/**
 * Of more results than the graph looks for at a time, whose order is better, and which take longer. With fewer, as where
 * a scan has come to its end, an exact search is made if the namespace is not too large for it.
 */
const OVERFETCH_MIN = 2;
/** Where nearly all records are asked for: the graph does not reach the last ones. */
const REACHED_SHARE = 0.95;

/** True for searches that a graph may answer where a namespace is large. */
export function isForGraph(dimension: number | null, metric: Metric, request: QueryRequest): boolean {
  const { values } = request;
  return values !== null && !isHybrid(metric, request) && graphFinds({ dimension, metric }, values);
}

/** For the transaction of a search. */
export function graphSettings(topK: number): string {
  const ef = Math.min(EF_MAX, Math.max(EF_MIN, EF_PER_RESULT * topK));
  const scanned = Math.max(SCANNED_MIN, SCANNED_PER_RESULT * topK);
  return `set local hnsw.ef_search = ${ef}; set local hnsw.iterative_scan = relaxed_order;
    set local hnsw.max_scan_tuples = ${scanned}; set local enable_sort = off`;
}

/** How many records the graph has to yield, of which the results are the best. */
function candidatesOf(topK: number): number {
  return Math.max(OVERFETCH_MIN * topK, Math.min(OVERFETCH * topK, EF_MAX));
}

export interface GraphSearch {
  readonly metric: Metric;
  readonly dimension: number | null;
  readonly tables: Pick<RecordTables, 'names'>;
  /** The columns to read besides the distance. */
  readonly columns: string;
  /** The condition on records. */
  readonly where: string;
  readonly values: Float32Array;
  readonly topK: number;
}

/** Of a record that a search by the graph has found. */
export interface GraphRow {
  /** How many records the graph has yielded, with those that it lacks. */
  readonly candidates: number;
}

/** Whether a search by the graph has found enough for its results to be trusted. @param records of the namespace */
export function isEnough(rows: readonly Partial<GraphRow>[], topK: number, records: number): boolean {
  const needed = Math.min(topK, records);
  const wanted =
    records > EXACT_AGAIN_RECORDS_MAX ? needed : Math.min(OVERFETCH_MIN * topK, REACHED_SHARE * records);
  return (rows[0]?.candidates ?? 0) >= Math.max(needed, wanted);
}

/**
 * The top records by the graph, as a query of `GraphRow`s; only for searches that `isForGraph`. It counts the candidates:
 * without that, the server takes them for sorted where their order is that of the results, and reads no more than these.
 */
export function graphSql(search: GraphSearch, parameters: Parameters): string {
  const { metric, dimension, tables, columns, where, values, topK } = search;
  const graph = graphOf({ dimension, metric });
  if (graph === null) throw new RangeError(`there is no graph of ${dimension} dimensions`);
  const vector = `${parameters.bind(vectorBytes(values))}::vector`;
  const { records } = tables.names;
  const limit = parameters.limit(topK);
  const candidates = parameters.limit(candidatesOf(topK));
  const distance = plainDistance(metric, vector);
  // Those that the graph of a cosine lacks are zeros, which are all equally far.
  const order = metric === 'cosine' ? 'id' : 'distance, id';
  const others =
    graph.others === null
      ? ''
      : `union all (select r.*, ${distance} as distance from ${records} r where ${where} and ${graph.others}
           order by ${order} limit ${candidates})`;
  const has = graph.has === null ? '' : ` and ${graph.has}`;
  return `select ${columns}, distance, count(*) over () as candidates from (
      (select r.*, ${distance} as distance from ${records} r where ${where}${has}
       order by ${graph.known('dense')} ${operatorOf(metric)} ${graph.known(vector)} limit ${candidates})
      ${others}) as found
    order by distance, id limit ${limit}`;
}
