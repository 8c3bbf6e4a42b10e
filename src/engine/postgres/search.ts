// Searches of one namespace on PostgreSQL: the top records by SQL, their scores exact.
import type { Metric } from '../../domain/index-model.ts';
import type { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import { AnswerSize } from '../port/answer-size.ts';
import type { Match, QueryRequest, StoredRecord } from '../port/reader-and-writer.ts';
import { type ConditionSource, conditionOf } from './condition.ts';
import { distanceSql, scoreOf } from './distance-sql.ts';
import { idIn } from './filter-sql.ts';
import {
  EXACT_RECORDS_MAX,
  type GraphRow,
  graphSettings,
  graphSql,
  isEnough,
  isForGraph,
} from './graph-sql.ts';
import { Parameters } from './parameters.ts';
import { type RecordParts, type RecordRow, recordOf } from './record-rows.ts';
import { textScores } from './text-search.ts';

export interface SearchContext extends ConditionSource {
  /** True where the graph is known to find too few. */
  readonly isExact: boolean;
  readonly explain: QueryExplain | null;
}

export type ScoredRow = RecordRow & { readonly distance: number };

/** Results of up to so many records are read whole with their distances; of more, once they are known to fit the answer. */
const WHOLE_RESULTS_MAX = 100;
/** Records whose values are read at a time. */
const READ_RECORDS = 100;
export const NO_PARTS: RecordParts = { values: false, metadata: false };
const NOTHING_READ = { dense: null, indices: null, weights: null, metadata: null };
/** Scores of texts are higher for better records, as inner products are. */
const TEXT_METRIC: Metric = 'dotproduct';

export async function searchNamespace(
  context: SearchContext,
  request: QueryRequest,
): Promise<readonly Match[]> {
  const { client, row, profile, tables, explain } = context;
  explain?.startTry(row.records);
  const metric = rankingMetric(profile, request);
  const parameters = new Parameters();
  const condition = await conditionOf(context, request.filter, parameters);
  const where = [condition, ...requiredTermsSql(request, parameters)].join(' and ');
  if (explain !== null) {
    const { rows } = await client.query<{ matched: number }>(
      `select count(*) as matched from ${tables.names.records} where ${where}`,
      [...parameters.values],
    );
    explain.endStage('filter');
    explain.matched = rows[0]?.matched ?? 0;
  }
  const search = { metric, where, parameters, request };
  const found =
    (await textSearch(context, search)) ??
    (await graphSearch(context, search)) ??
    (await exactSearch(context, search));
  if (explain) {
    explain.rowsScored += found.length;
    explain.endStage('search');
  }
  const isText = isTextSearch(request);
  const rows = { found, metric: isText ? TEXT_METRIC : metric, isWhole: !isText && isReadWhole(request) };
  return matchesOf(context, rows, request);
}

/** Conditions of a search besides its filter. */
export function requiredTermsSql({ requiredTerms }: QueryRequest, parameters: Parameters): readonly string[] {
  if (requiredTerms === undefined || requiredTerms.length === 0) return [];
  return [`coalesce(sparse_indices @> ${parameters.bind([...requiredTerms])}::bigint[], false)`];
}

export function partsOf({ includeValues: values, includeMetadata: metadata }: QueryRequest): RecordParts {
  return { values, metadata };
}

export function isReadWhole({ topK }: QueryRequest): boolean {
  return topK <= WHOLE_RESULTS_MAX;
}

export interface Found {
  readonly found: readonly ScoredRow[];
  readonly metric: Metric;
  /** Whether the rows have all parts of their records. */
  readonly isWhole: boolean;
}

/** @throws response-too-big, before all values and metadata of a large answer are read */
export async function matchesOf(
  { client, row, tables, profile }: Pick<SearchContext, 'client' | 'row' | 'tables' | 'profile'>,
  { found, metric, isWhole }: Found,
  request: QueryRequest,
): Promise<readonly Match[]> {
  const parts = partsOf(request);
  const size = new AnswerSize(request, profile.dimension);
  size.check(found.length);
  const matches: Match[] = [];
  for (let first = 0; first < found.length; first += READ_RECORDS) {
    const rows = found.slice(first, first + READ_RECORDS);
    const ids = rows.map(({ id }) => id);
    const isComplete = isWhole || !(parts.values || parts.metadata);
    const records = isComplete ? rows.map(recordOf) : await tables.records(client, row.number, ids, parts);
    records.forEach((record, at) => {
      size.add(record.id, record.metadataJson);
      if (record.values !== null) size.addValues(record.values);
      matches.push(matchOf(record, scoreOf(metric, rows[at]?.distance ?? 0), request));
    });
  }
  return matches;
}

interface Search {
  readonly metric: Metric;
  readonly where: string;
  /** Those of the condition; each search adds its own to a copy. */
  readonly parameters: Parameters;
  readonly request: QueryRequest;
}

export function isTextSearch({ text }: QueryRequest): boolean {
  return text !== undefined && text !== null;
}

/** Null for requests without a text. */
async function textSearch(
  { client, row, tables, explain }: SearchContext,
  { where, parameters: shared, request }: Search,
): Promise<readonly ScoredRow[] | null> {
  if (request.text === undefined || request.text === null) return null;
  const { scores, max } = await textScores({ client, row, names: tables.names }, request.text);
  if (explain) {
    explain.structure = 'text';
    explain.textScoreMax = max;
  }
  let ids: readonly string[] = [...scores.keys()];
  if (request.filter !== null) {
    const parameters = shared.copy();
    const { rows } = await client.query<{ id: string }>(
      `select id from ${tables.names.records} where ${where} and ${idIn(ids, parameters)}`,
      parameters.values,
    );
    ids = rows.map(({ id }) => id);
  }
  const scored = ids.map((id) => ({ id, distance: -(scores.get(id) ?? 0), ...NOTHING_READ }));
  // Ids are ASCII: their code units have the order of their bytes.
  const order = (one: ScoredRow, other: ScoredRow) =>
    one.distance - other.distance || (one.id < other.id ? -1 : 1);
  return scored.sort(order).slice(0, request.topK);
}

/** Null where there is no graph for it, and when it finds too few: then only an exact search knows whether there are more. */
async function graphSearch(
  { client, row, profile, tables, explain, isExact }: SearchContext,
  { metric, where, parameters: shared, request }: Search,
): Promise<readonly ScoredRow[] | null> {
  const { values, topK } = request;
  const { dimension } = profile;
  if (isExact || values === null || row.records <= EXACT_RECORDS_MAX) return null;
  if (!isForGraph(dimension, metric, request)) return null;
  const parameters = shared.copy();
  const columns = tables.columnsOf(isReadWhole(request) ? partsOf(request) : NO_PARTS);
  const sql = graphSql({ metric, dimension, tables, columns, where, values, topK }, parameters);
  await client.query(graphSettings(topK));
  const { rows } = await client.query<ScoredRow & GraphRow>(sql, parameters.values);
  await client.query('set local enable_sort = on');
  if (!isEnough(rows, topK, row.records)) return null;
  if (explain) explain.structure = 'graph';
  return rows;
}

async function exactSearch(
  { client, tables, explain }: SearchContext,
  { metric, where, parameters: shared, request }: Search,
): Promise<readonly ScoredRow[]> {
  const parameters = shared.copy();
  const joins: string[] = [];
  // The condition has bound the number of the namespace first.
  const distance = distanceSql(metric, request, { parameters, joins, tables, namespace: '$1' });
  // Not the bare operator, which the graph would order.
  const { rows } = await client.query<ScoredRow>(
    `select ${tables.columnsOf(isReadWhole(request) ? partsOf(request) : NO_PARTS)}, distance from (
       select r.*, (${distance}) + 0 as distance from ${tables.names.records} r ${joins.join(' ')}
       where ${where}) as scored
     order by distance, id limit ${parameters.bind(request.topK)}`,
    parameters.values,
  );
  if (explain) explain.structure = request.values === null ? 'postings' : 'scan';
  return rows;
}

function matchOf(record: StoredRecord, score: number, request: QueryRequest): Match {
  const { id, values, sparse, metadataJson } = record;
  return {
    id,
    score,
    ...(request.includeValues ? { values, sparse } : {}),
    ...(request.includeMetadata ? { metadataJson } : {}),
  };
}
