// Explain: counts what a query does while it runs, for callers that request it.

/**
 * How the records were searched: `none` (there was nothing to search), `direct` (records read and scored one by one),
 * `scan` (codes of all matching slots), `graph` (a walk), `graph+tail` (a walk, and a scan of what is not in the graph
 * yet), `postings` (inverted lists of a sparse index).
 */
export const QUERY_STRUCTURES = ['none', 'direct', 'scan', 'graph', 'graph+tail', 'postings'] as const;
export type QueryStructure = (typeof QUERY_STRUCTURES)[number];

/** `wait` is for the namespace to be loaded, and between tries; `fetch` reads the results' records. */
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
  readonly tail: number;
  readonly effort: number;
  readonly tries: number;
  readonly milliseconds: Readonly<Record<QueryStage | 'total', number>>;
}

/**
 * Filled by the search as it goes. Sums run over all tries; `structure`, `matched`, `live`, `tail` and `effort` are of the last.
 * Searches hold it as nullable and write `explain?.endStage('filter')`, so that nobody pays who did not ask.
 */
export class QueryExplain {
  structure: QueryStructure = 'none';
  /** Nodes of the graph whose neighbours were looked at. */
  nodesVisited = 0;
  /** Distances computed from codes, in walks and scans. */
  distances = 0;
  /** Records whose score was computed exactly. */
  rowsScored = 0;
  /** Records that passed the filter; all live ones without a filter. */
  matched = 0;
  /** Records of the namespace. */
  live = 0;
  /** Slots outside the graph that had to be scanned; 0 without a graph. */
  tail = 0;
  /** Times the usual effort that walks through the graph have been found to need: 1, 2, 4 ... */
  effort = 1;
  /** More than 1 when a write overtook the query. */
  tries = 0;
  readonly #startedAt = performance.now();
  #stageAt = this.#startedAt;
  readonly #milliseconds = { wait: 0, filter: 0, search: 0, rescore: 0, fetch: 0 };

  /** Begins to search (again) a namespace of `live` records. */
  startTry(live: number): void {
    this.endStage('wait');
    this.tries++;
    this.structure = 'none';
    this.live = live;
    this.matched = 0;
    this.tail = 0;
    this.effort = 1;
  }

  /** Counts the time since the last end of a stage (or the beginning) as spent in `stage`. */
  endStage(stage: QueryStage): void {
    const now = performance.now();
    this.#milliseconds[stage] += now - this.#stageAt;
    this.#stageAt = now;
  }

  /** What is known by now. `total` is the time since the beginning. */
  finish(): QueryExplanation {
    const { structure, nodesVisited, distances, rowsScored, matched, live, tail, effort, tries } = this;
    const milliseconds = { ...this.#milliseconds, total: performance.now() - this.#startedAt };
    return {
      structure,
      nodesVisited,
      distances,
      rowsScored,
      matched,
      live,
      tail,
      effort,
      tries,
      milliseconds,
    };
  }
}
