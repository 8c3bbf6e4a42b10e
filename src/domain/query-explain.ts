// Explain: counts what a query does while it runs, for callers that request it.
import type { AuditedRecall } from './recall-promise.ts';

/**
 * How the records were searched: `none` (there was nothing to search), `direct` (records read and scored one by one),
 * `scan` (codes of all matching slots), `graph` (beam search of the graph), `graph+tail` (the same, and a scan of the
 * unindexed slots, the tail that is not in the graph yet), `postings` (posting lists of sparse vectors),
 * `text` (the text index: posting lists of terms, and exact scores of the candidates).
 */
export const QUERY_STRUCTURES = [
  'none',
  'direct',
  'scan',
  'graph',
  'graph+tail',
  'postings',
  'text',
] as const;
export type QueryStructure = (typeof QUERY_STRUCTURES)[number];

/** `wait` is for the namespace to be loaded, and between tries; `fetch` reads the records of the results. */
export const QUERY_STAGES = ['wait', 'filter', 'search', 'rescore', 'fetch'] as const;
export type QueryStage = (typeof QUERY_STAGES)[number];

/** What a query did, as plain data. Milliseconds are fractional. */
export interface QueryExplanation {
  readonly structure: QueryStructure;
  readonly nodesVisited: number;
  readonly distances: number;
  readonly rowsScored: number;
  readonly matched: number;
  readonly live: number;
  readonly unindexed: number;
  /** The name of `unindexed` up to 0.1; kept for one release. */
  readonly tail: number;
  readonly effort: number;
  /** Share of the true best among the results, 0 to 1; 1 where the search is exact. */
  readonly expectedRecall: number;
  /** What audits of such searches have shown; null where there were too few, or none. */
  readonly auditedRecall: number | null;
  /** The bounds of the 95 % interval of `auditedRecall`; null with it. */
  readonly auditedRecallLow: number | null;
  readonly auditedRecallHigh: number | null;
  /** The recall that the search promised, by its request or its index; null for the usual one. */
  readonly promisedRecall: number | null;
  /** Of a text query: the score that shares of weighted fusion are of (full-text/scoring/score-max.ts); null for others. */
  readonly textScoreMax: number | null;
  readonly tries: number;
  readonly milliseconds: Readonly<Record<QueryStage | 'total', number>>;
}

/** Of one graph. */
type GraphSearchRecall = Pick<QueryExplain, 'effort' | 'expectedRecall' | 'auditedRecall'>;

/**
 * Filled while the search runs. Counters are summed over all tries; `structure`, `matched`, `live`, `unindexed` and
 * `effort` and the recalls are those of the last. Searches hold it as nullable and write `explain?.endStage('filter')`, so that it costs
 * nothing where it was not requested.
 */
export class QueryExplain {
  structure: QueryStructure = 'none';
  /** Nodes of the graph that were expanded. */
  nodesVisited = 0;
  /** Distances computed from codes, in graph searches and scans. */
  distances = 0;
  /** Records whose score was computed exactly. */
  rowsScored = 0;
  /** Records that match the filter; without a filter, all live ones. */
  matched = 0;
  /** Records of the namespace. */
  live = 0;
  /** Unindexed slots, not in the graph yet, that were scanned; 0 without a graph. */
  unindexed = 0;
  /** The factor on ef that searches of this graph have been found to need: 1, 2, 4 and so on. */
  effort = 1;
  /** The recall to expect of the requested effort; 1 where the search is exact. */
  expectedRecall = 1;
  /** The recall that audits of such searches have shown; null for none. */
  auditedRecall: AuditedRecall | null = null;
  /** The recall promised by the request or the index; null for the usual one. */
  readonly promisedRecall: number | null;
  /** Of a text query: the score that shares of weighted fusion are of (full-text/scoring/score-max.ts); null for others. */
  textScoreMax: number | null = null;
  /** More than 1 when a write overtook the query. */
  tries = 0;
  readonly #startedAt = performance.now();
  #stageAt = this.#startedAt;
  readonly #milliseconds = { wait: 0, filter: 0, search: 0, rescore: 0, fetch: 0 };

  constructor(promisedRecall: number | null = null) {
    this.promisedRecall = promisedRecall;
  }

  /** Begins to search (again) a namespace of `live` records. */
  startTry(live: number): void {
    this.endStage('wait');
    this.tries++;
    this.structure = 'none';
    this.live = live;
    this.matched = 0;
    this.unindexed = 0;
    this.effort = 1;
    this.expectedRecall = 1;
    this.auditedRecall = null;
    this.textScoreMax = null;
  }

  /** Notes how a segment was searched: a graph beside a scan is a graph with a tail. */
  addStructure(structure: QueryStructure): void {
    const isFirst = this.structure === 'none' || this.structure === structure;
    this.structure = isFirst ? structure : 'graph+tail';
  }

  /** Notes what to expect of the search of a graph: of all segments, the least. */
  addGraphSearch({ effort, expectedRecall, auditedRecall }: GraphSearchRecall): void {
    this.effort = Math.max(this.effort, effort);
    this.expectedRecall = Math.min(this.expectedRecall, expectedRecall);
    const known = this.auditedRecall;
    if (auditedRecall !== null && (known === null || auditedRecall.share < known.share))
      this.auditedRecall = auditedRecall;
  }

  /** Attributes the time since the end of the last stage, or since the start, to `stage`. */
  endStage(stage: QueryStage): void {
    const now = performance.now();
    this.#milliseconds[stage] += now - this.#stageAt;
    this.#stageAt = now;
  }

  /** The explanation so far; `total` is the time since the start. */
  finish(): QueryExplanation {
    const {
      structure,
      nodesVisited,
      distances,
      rowsScored,
      matched,
      live,
      unindexed,
      effort,
      expectedRecall,
      auditedRecall,
      promisedRecall,
      textScoreMax,
      tries,
    } = this;
    const milliseconds = { ...this.#milliseconds, total: performance.now() - this.#startedAt };
    return {
      structure,
      nodesVisited,
      distances,
      rowsScored,
      matched,
      live,
      unindexed,
      tail: unindexed,
      effort,
      expectedRecall,
      auditedRecall: auditedRecall?.share ?? null,
      auditedRecallLow: auditedRecall?.low ?? null,
      auditedRecallHigh: auditedRecall?.high ?? null,
      promisedRecall,
      textScoreMax,
      tries,
      milliseconds,
    };
  }
}
