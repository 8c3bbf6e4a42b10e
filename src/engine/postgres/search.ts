// Searches of one namespace on PostgreSQL: the top records by SQL, their scores exact.
import type { Metric } from '../../domain/index-model.ts';
import type { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import { AnswerSize } from '../port/answer-size.ts';
import type { Match, QueryRequest, StoredRecord } from '../port/reader-and-writer.ts';
import { type ConditionSource, conditionOf } from './condition.ts';
import { idIn } from './filter-sql.ts';
import { Parameters } from './parameters.ts';
import { type RecordParts, type RecordRow, recordOf, vectorText } from './record-rows.ts';
import type { RecordTables } from './record-tables.ts';
import { graphColumnOf, operatorOf } from './tables.ts';
import { textScores } from './text-search.ts';

export interface SearchContext extends ConditionSource {
  readonly explain: QueryExplain | null;
}

type ScoredRow = RecordRow & { readonly distance: number };

/** Results of up to so many records are read whole with their distances; of more, once they are known to fit the answer. */
const WHOLE_RESULTS_MAX = 100;
/** Records whose values are read at a time. */
const READ_RECORDS = 100;
const NO_PARTS: RecordParts = { values: false, metadata: false };
const NOTHING_READ = { dense: null, indices: null, weights: null, metadata: null };
/** Scores of texts are higher for better records, as inner products are. */
const TEXT_METRIC: Metric = 'dotproduct';

/** Namespaces of up to so many records are searched exactly, which is as fast. */
const EXACT_RECORDS_MAX = 10_000;
const EF_MIN = 100;
/** pgvector takes no more. */
const EF_MAX = 1_000;
const EF_PER_RESULT = 4;
/** Records that the graph yields before a search by filter is made exactly. */
const SCANNED_MAX = 20_000;
/** For graphs of half floats: their order is not quite that of floats. */
const OVERFETCH = 2;

export async function searchNamespace(
  context: SearchContext,
  request: QueryRequest,
): Promise<readonly Match[]> {
  const { client, row, profile, tables, explain } = context;
  explain?.startTry(row.records);
  const metric = rankingMetric(profile, request);
  const parameters = new Parameters();
  const conditions = [await conditionOf(context, request.filter, parameters)];
  const { requiredTerms } = request;
  if (requiredTerms !== undefined && requiredTerms.length > 0)
    conditions.push(`coalesce(sparse_indices @> ${parameters.bind([...requiredTerms])}::bigint[], false)`);
  const where = conditions.join(' and ');
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

function partsOf({ includeValues: values, includeMetadata: metadata }: QueryRequest): RecordParts {
  return { values, metadata };
}

function isReadWhole({ topK }: QueryRequest): boolean {
  return topK <= WHOLE_RESULTS_MAX;
}

interface Found {
  readonly found: readonly ScoredRow[];
  readonly metric: Metric;
  /** Whether the rows have all parts of their records. */
  readonly isWhole: boolean;
}

/** @throws response-too-big, before all values and metadata of a large answer are read */
async function matchesOf(
  { client, row, tables, profile }: SearchContext,
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

function isTextSearch({ text }: QueryRequest): boolean {
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
  { client, row, profile, tables, explain }: SearchContext,
  { metric, where, parameters: shared, request }: Search,
): Promise<readonly ScoredRow[] | null> {
  const { values, topK } = request;
  const graph = graphColumnOf(profile.dimension);
  const isScoredTwice = request.sparse !== null && metric === 'dotproduct';
  if (values === null || graph === null || isScoredTwice || row.records <= EXACT_RECORDS_MAX) return null;
  const parameters = shared.copy();
  const vector = parameters.bind(vectorText(values));
  const { records } = tables.names;
  const distance = plainDistance(metric, `${vector}::vector`);
  const limit = parameters.bind(topK);
  const candidates = parameters.bind(graph.isExact ? topK : OVERFETCH * topK);
  const zeros =
    metric === 'cosine'
      ? `union all (select r.*, 1 as distance from ${records} r where ${where} and vector_norm(dense) = 0
           order by id limit ${limit})`
      : '';
  const ef = Math.min(EF_MAX, Math.max(EF_MIN, EF_PER_RESULT * topK));
  await client.query(
    `set local hnsw.ef_search = ${ef}; set local hnsw.iterative_scan = strict_order;
     set local hnsw.max_scan_tuples = ${Math.max(SCANNED_MAX, EF_PER_RESULT * topK)}; set local enable_sort = off`,
  );
  const { rows } = await client.query<ScoredRow>(
    `select ${tables.columnsOf(isReadWhole(request) ? partsOf(request) : NO_PARTS)}, distance from (
       (select r.*, ${distance} as distance from ${records} r where ${where}
        order by ${graph.column} ${operatorOf(metric)} ${vector}::${graph.type} limit ${candidates})
       ${zeros}) as found
     order by distance, id limit ${limit}`,
    parameters.values,
  );
  await client.query('set local enable_sort = on');
  if (rows.length < Math.min(topK, row.records)) return null;
  if (explain) explain.structure = 'graph';
  return rows;
}

async function exactSearch(
  { client, row, tables, explain }: SearchContext,
  { metric, where, parameters: shared, request }: Search,
): Promise<readonly ScoredRow[]> {
  const parameters = shared.copy();
  const joins: string[] = [];
  const distance = distanceSql(metric, request, { parameters, joins, tables, row });
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

interface DistanceParts {
  readonly parameters: Parameters;
  /** Tables that the distance needs. */
  readonly joins: string[];
  readonly tables: RecordTables;
  readonly row: SearchContext['row'];
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
  const plain = plainDistance(metric, `${parameters.bind(vectorText(values))}::vector`);
  return scored ? `(${plain}) - coalesce(s.score, 0)` : plain;
}

function plainDistance(metric: Metric, vector: string): string {
  const distance = `r.dense ${operatorOf(metric)} ${vector}`;
  // A vector of zeros has no direction: its cosine counts as 0.
  return metric === 'cosine' ? `coalesce(nullif(${distance}, 'NaN'), 1)` : distance;
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

function scoreOf(metric: Metric, distance: number): number {
  if (metric === 'euclidean') return distance * distance;
  // Not -0.
  return metric === 'cosine' ? Math.min(1, Math.max(-1, 1 - distance)) : 0 - distance;
}
