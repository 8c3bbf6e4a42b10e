// Searches in one statement: the state of the index, the namespace and its top records in one round trip.
import type { IndexProfile } from '../../domain/index-model.ts';
import type { QueryExplain } from '../../domain/query-explain.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import type { Match, QueryRequest } from '../port/reader-and-writer.ts';
import type { Database } from './database.ts';
import { distanceSql } from './distance-sql.ts';
import { filterSql, textQueriesOf } from './filter-sql.ts';
import {
  EXACT_RECORDS_MAX,
  type GraphRow,
  graphSettings,
  graphSql,
  isEnough,
  isForGraph,
} from './graph-sql.ts';
import type { NamespaceHint, NamespaceHints } from './namespace-hints.ts';
import {
  isFilterableIn,
  type ReadState,
  STATE_COLUMNS,
  type StateRow,
  stateFrom,
  stateOf,
} from './namespaces.ts';
import { Parameters } from './parameters.ts';
import type { RecordTables } from './record-tables.ts';
import {
  isReadWhole,
  isTextSearch,
  matchesOf,
  NO_PARTS,
  partsOf,
  requiredTermsSql,
  type ScoredRow,
} from './search.ts';

/** Statements until the hints are right: what a hint is about may change again and again. */
const TRIES_MAX = 3;

export interface DirectSource {
  readonly database: Database;
  readonly profile: IndexProfile;
  readonly tables: RecordTables;
  readonly hints: NamespaceHints;
}

export interface DirectAnswer {
  readonly state: ReadState;
  readonly matches: readonly Match[];
}

/** A namespace without results has one row, whose id is null. */
type FoundRow = StateRow & Omit<ScoredRow, 'id'> & Partial<GraphRow> & { readonly id: string | null };

/**
 * Null for searches that take several statements: by texts and of many whole records. They need a snapshot, and so do
 * those that must be exact, since the graph has found too few. Null also for an index that does not exist.
 * @throws the error of a missing table
 */
export async function searchDirectly(
  source: DirectSource,
  request: QueryRequest,
  explain: QueryExplain | null,
): Promise<DirectAnswer | 'exact' | null> {
  if (!isDirect(request)) return null;
  const { database, profile, hints } = source;
  const { namespace, topK } = request;
  for (let tried = 0; tried < TRIES_MAX; tried++) {
    const hint = hints.of(profile.id, namespace);
    const { sql, values, settings, isByGraph, isBounded } = statementOf(source, request, hint);
    const { rows } = await database.readOften<FoundRow>(sql, values, settings);
    const [first] = rows;
    if (first === undefined) return null;
    const state = stateOf(first, namespace);
    const { row } = state;
    if (row === null) return { state, matches: [] };
    const seen = { schema: row.schema, isLarge: row.records > EXACT_RECORDS_MAX };
    hints.note(profile.id, namespace, seen);
    const isSchemaRight = request.filter === null || seen.schema === hint.schema;
    if (!isSchemaRight || (isBounded && seen.isLarge)) continue;
    const found = rows.flatMap((each) => (each.id === null ? [] : [{ ...each, id: each.id }]));
    if (isByGraph && !isEnough(found, topK, row.records)) {
      if (seen.isLarge) return 'exact';
      continue;
    }
    if (explain !== null) tell(explain, { request, found: found.length, records: row.records, isByGraph });
    const metric = rankingMetric(profile, request);
    const client = { query: database.read.bind(database) };
    const whole = { found, metric, isWhole: true };
    return { state, matches: await matchesOf({ ...source, client, row }, whole, request) };
  }
  return null;
}

function isDirect(request: QueryRequest): boolean {
  const isOneStatement = isReadWhole(request) || !(request.includeValues || request.includeMetadata);
  return isOneStatement && !isTextSearch(request) && textQueriesOf(request.filter).length === 0;
}

interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** For its transaction. */
  readonly settings: string | null;
  readonly isByGraph: boolean;
  /** Whether it searches only namespaces that are small. */
  readonly isBounded: boolean;
}

function statementOf(
  { profile, tables }: DirectSource,
  request: QueryRequest,
  hint: NamespaceHint,
): Statement {
  const { values, topK } = request;
  const { dimension } = profile;
  const metric = rankingMetric(profile, request);
  const parameters = new Parameters();
  const name = parameters.bind(request.namespace);
  const isFilterable = isFilterableIn(profile, hint);
  const filter =
    request.filter === null
      ? []
      : [filterSql(request.filter, { parameters, isFilterable, texts: new Map() })];
  const mayUseGraph = isForGraph(dimension, metric, request);
  const isByGraph = mayUseGraph && hint.isLarge && values !== null;
  const isBounded = mayUseGraph && !isByGraph;
  const bound = isBounded ? [`n.records <= ${EXACT_RECORDS_MAX}`] : [];
  const where = [
    'r.namespace = n.number',
    ...bound,
    ...filter,
    ...requiredTermsSql(request, parameters),
  ].join(' and ');
  const columns = tables.columnsOf(isReadWhole(request) ? partsOf(request) : NO_PARTS);
  const found = isByGraph
    ? graphSql({ metric, dimension, tables, columns, where, values, topK }, parameters)
    : exactSql({ columns, where, request }, { profile, tables, parameters });
  return {
    sql: `select ${STATE_COLUMNS}, found.* from ${stateFrom(tables.names.namespaces, name)}
      left join lateral (${found}) as found on true
      where i.id = '${profile.id}' order by found.distance, found.id`,
    values: parameters.values,
    settings: isByGraph ? graphSettings(topK) : null,
    isByGraph,
    isBounded,
  };
}

function exactSql(
  {
    columns,
    where,
    request,
  }: { readonly columns: string; readonly where: string; readonly request: QueryRequest },
  {
    profile,
    tables,
    parameters,
  }: Pick<DirectSource, 'profile' | 'tables'> & { readonly parameters: Parameters },
): string {
  const joins: string[] = [];
  const metric = rankingMetric(profile, request);
  const distance = distanceSql(metric, request, { parameters, joins, tables, namespace: 'n.number' });
  // Not the bare operator, which the graph would order.
  return `select ${columns}, distance from (
      select r.*, (${distance}) + 0 as distance from ${tables.names.records} r ${joins.join(' ')}
      where ${where}) as scored
    order by distance, id limit ${parameters.limit(request.topK)}`;
}

interface Told {
  readonly request: QueryRequest;
  readonly found: number;
  readonly records: number;
  readonly isByGraph: boolean;
}

/** How many records match a filter is counted only for explanations that somebody asked for: at least those found. */
function tell(explain: QueryExplain, { request, found, records, isByGraph }: Told): void {
  explain.startTry(records);
  explain.matched = request.filter === null ? records : found;
  explain.rowsScored += found;
  explain.structure = isByGraph ? 'graph' : request.values === null ? 'postings' : 'scan';
  explain.endStage('search');
}
