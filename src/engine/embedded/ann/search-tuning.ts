// Tuned constants of graph search plans, each with its unit and the measurement behind it.

/** Maximum entries of a planned beam; a search that fills more is slower than a scan. */
export const BEAM_CAPACITY_MAX = 65_536;

/** Below this dimension codes cannot tell neighbors apart (recall 0.56 in two dimensions), and a scan is nearly free. */
export const GRAPH_DIMENSION_MIN = 4;

/**
 * The cost model, in nanoseconds (docs/decisions/020-filtered-search.md). Only the ratios of these numbers matter.
 * A row at a random address costs ROW_NS + COMPONENT_NS * dimension; a graph search adds STEP_NS to each row it measures
 * for reading edges and maintaining the beam, and BEAM_ENTRY_NS for each unit of ef.
 */
export const COST = { ROW_NS: 30, COMPONENT_NS: 0.1, STEP_NS: 60, BEAM_ENTRY_NS: 0.03 } as const;

/** Rows that a graph search measures, for the cost model. */
export const ROWS_MEASURED = {
  /** Until the search is near the query. */
  APPROACH: 200,
  /** For each stable result and each step of patience where the search passes through non-matching nodes. */
  PER_NODE: 6,
  /** The same where it jumps over non-matching nodes by two-hop expansion; it does not depend on the selectivity. */
  PER_TWO_HOP: 60,
} as const;

/**
 * Early termination: a search ends when its nearest results have stayed the same for `patience` expansions
 * (Teofili and Lin, "Patience in Proximity", ECIR 2025). The bounds grow with topK and with the share of nodes around the
 * query that match. They were chosen for a recall of 0.98 on all data sets measured, whose needs differ widely
 * (docs/decisions/021-recall.md).
 */
export const TERMINATION = {
  /** Results that must be stable, in addition to a multiple of topK. */
  STABLE_RESULTS: 32,
  STABLE_PER_RESULT: 2.2,
  STABLE_PER_RESULT_MAX: 4.2,
  /** The multiple grows by 1 for this many results. */
  STABLE_GROWTH_TOP_K: 500,
  /** Expansions without a change, in addition to topK. */
  PATIENCE: 40,
  /** The beam holds the stable results and this many nodes for each step of patience (docs/decisions/039-beam-width.md). */
  EF_PER_PATIENCE: 3,
  /**
   * Both bounds grow with this power of the slots, and are as given for so many; they are smaller only for unfiltered
   * searches of some results where norms are even (docs/decisions/040-effort-by-size.md).
   */
  SLOTS: 100_000,
  SLOTS_EXPONENT: 0.25,
  LESS_TOP_K_MIN: 10,
  SLOTS_FACTOR_MIN: 0.6,
  SLOTS_FACTOR_MAX: 2,
  /** Lower bound of both where almost no node around the query matches. */
  AT_NONE: 8,
} as const;

/**
 * Nodes up to 1 + SHARE times as far from the query as the last result are expanded, too (Al-Jazzazi et al., "Distance
 * Adaptive Beam Search", 2025): queries from elsewhere have many of them, and find as much as others
 * (docs/decisions/037-recall-by-query.md).
 */
export const SLACK = {
  SHARE: 0.06,
  /** Fewer results than this have the slack of so many: the nearest row may be a copy of the query. */
  RANK_MIN: 10,
  /** The share falls with this power of the results: farther out, rows lie closer together. */
  RANK_EXPONENT: 0.4,
  /** The share grows with this power of the slots, from so many on: easy queries cost nothing more by it. */
  SLOTS: 20_000,
  SLOTS_EXPONENT: 0.1,
  /** The share grows with this power of the effort: twice the share is some four times the work. */
  EFFORT_EXPONENT: 0.5,
  /** Nodes, and more for each result, up to which the beam grows by those within the slack: a bound of its cost. */
  EF_MIN: 512,
  EF_PER_RESULT: 6,
} as const;

/** Effort is a factor on both bounds of early termination. */
export const EFFORT = {
  /**
   * Where norms differ widely: by dot product, long rows are near to all others; by Euclidean distance, short ones are
   * (docs/decisions/021-recall.md).
   */
  UNEVEN_NORMS: 1.5,
  /** Doubles the effort for uneven norms at this many results. */
  UNEVEN_TOP_K: 200,
  /** Below this selectivity effort grows in inverse proportion to it, by at most SELECTIVE_MAX. */
  SELECTIVE_BELOW: 0.1,
  SELECTIVE_MAX: 4,
  /**
   * How much more a filtered search does than an unfiltered one, at most: the factor grows as the expected results reach
   * beyond this many nodes around the query (docs/decisions/020-filtered-search.md).
   */
  FILTERED_MAX: 2,
  FILTERED_NODES: 66,
} as const;

/**
 * Searches with little effort: below these efforts, what is a lower bound for all others falls in proportion
 * (docs/decisions/072-low-effort.md). Filtered searches have at least the first of them.
 */
export const BRIEF = {
  /** Fewer clusters are probed for entry points, down to the least number. */
  PROBES_BELOW: 0.3,
  PROBES: 8,
  PROBES_MIN: 3,
  /** Fewer than topK results must be stable, and the slack is measured from a nearer result than the last. */
  STABLE_BELOW: 0.1,
  /** The beam holds as many nodes as are likely among the results by their bounds: this many times topK, and more. */
  EF_PER_RESULT: 1.3,
  EF_MORE: 3,
} as const;

/** Searches by the binary codes of nodes (docs/decisions/075-disk-profile.md). */
export const NODE_CODES = {
  /** Results by estimates at most, of which the best by codes of rows become candidates. */
  ESTIMATED_PER_CANDIDATE: 16,
  /** The beam holds more nodes for them; how many are expanded depends on early termination. */
  EF_FACTOR: 2,
} as const;

/** How a filtered search treats non-matching nodes (docs/decisions/020-filtered-search.md). */
export const FILTERED = {
  /** Nodes around the query that estimate the local selectivity; more for selective filters. */
  LOCAL_NODES_MIN: 64,
  LOCAL_NODES_MAX: 256,
  /** Matches expected among them for a filter that is unrelated to the query. */
  LOCAL_MATCHES: 20,
  /** From this local selectivity on, passing through non-matching nodes costs less than two-hop expansion. */
  PASS_THROUGH_MIN: 0.3,
  /** Below this part of the filter's selectivity, the matches lie elsewhere and the graph helps little. */
  ABANDON_PART: 0.5,
  /** A search is not abandoned where the scan would cost more than this many times as much. */
  ABANDON_SCAN_FACTOR: 36,
  /** New nodes that one two-hop expansion measures. */
  TWO_HOP_ROWS: 64,
} as const;

/** The short search that is tried first at a selectivity below PASS_THROUGH_MIN (docs/decisions/020-filtered-search.md). */
export const PRELIMINARY = {
  /** Nodes of all kinds that it expands: a part of those among which the results are expected ... */
  DEPTH_PART: 0.3,
  /** ... and, times the effort, this many more nodes and this further part. */
  DEPTH_NODES: 44,
  DEPTH_MORE_PART: 0.4,
  /** Rows measured for each node expanded. */
  ROWS_PER_NODE: 9,
  /** It is tried where the local selectivity is at least this part of the filter's. */
  LOCAL_PART: 0.6,
  /** The last result must not lie in a crowd; with fewer results, the match of this rank must not. */
  RANK_MIN: 5,
  /** A crowd is this many times as many nodes about as far away as expected. */
  CROWD_FACTOR: 2.2,
  /**
   * A scan that costs up to this many times as much by the model is preferred: it is exact, and these searches, some of
   * which end in a scan, cost three times what the model says.
   */
  SCAN_FACTOR: 6,
} as const;

/**
 * Retries of out-of-distribution queries (docs/decisions/021-recall.md). The ratio is up to 3 for queries from the
 * distribution of the records, and 9 to 30 for queries whose own cluster is deleted or filtered out.
 */
export const OUT_OF_DISTRIBUTION = {
  /** From this ratio on, a search may have missed nearer rows. */
  RATIO_MIN: 4,
  EFFORT_PER_RATIO: 0.6,
  EFFORT_MAX: 6,
  /** A scan that costs up to this many times as much as the retry is preferred: it is exact. */
  SCAN_FACTOR: 1.5,
  /**
   * The last result is checked, too, where it lies more than this many times as far from the query as the first: nearer,
   * it lies in the same neighborhood.
   */
  LAST_RESULT_FACTOR: 3,
} as const;

/** The short search on the other side of a query that lies between its results (docs/decisions/067-reflected-search.md). */
export const REFLECTION = {
  /** From this out-of-distribution ratio on: queries like the records have about 1. */
  RATIO_MIN: 1.3,
  /** Of the search's own effort: the reflection lies among rows, if there are any. */
  EFFORT: 0.04,
  /** Clusters probed: with fewer than usual, the same is found (docs/decisions/072-low-effort.md). */
  PROBES: 3,
  /** What it adds to the results: as many as the search wants, and so many more, up to a batch. */
  CANDIDATES_MORE: 6,
  CANDIDATES_MAX: 64,
} as const;
