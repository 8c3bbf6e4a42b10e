// Tuned constants of graph searches, each with the measurement behind it.

// How a filtered search adapts to the nodes around the query (docs/decisions/020-filtered-search.md).

/** Nodes expanded before the local selectivity is estimated. */
export const APPROACH_NODES: i32 = 16;
/**
 * Below this part of the filter's selectivity, matches lie to one side of the query, and a search must see more of the graph:
 * by the square of what is missing, up to the maximum.
 */
export const LOW_SELECTIVITY_PART: f32 = 0.65;
export const EFFORT_FACTOR_MAX: f32 = 4;
/** From this effort on, entry points are also sought among matching samples: costly, and by chance seldom reached. */
export const RESTART_FACTOR: f32 = 2;
/** Matching nodes from all over the graph at which a two-hop search starts, besides those found near the query. */
export const SPREAD_MATCHES: u32 = 32;

// When the results of a preliminary search lie in a crowd (docs/decisions/020-filtered-search.md).

/** From this share of the mean distance of any row, a result is no nearer than rows that lie anywhere. */
export const FAR_SHARE: f32 = 0.69;
/** The same by dot product where the nearest row is long, so that its direction says less. */
export const FAR_SHARE_LONG_NORM: f32 = 0.5;
/** The nearest row is long from this many times the mean squared norm. */
export const LONG_NORM_SQUARED: f32 = 1.1;
/** Nodes up to this many times as far away as the last result are about as far away. */
export const CROWD_RADIUS: f32 = 1.05;
/** Rows, evenly spaced over all slots, that give the mean distance and norm. */
export const SAMPLE_ROWS: u32 = 16;

// Entry points (docs/decisions/017-graph-search.md).

/** Minimum clusters probed, nearest first, for entry points near the target; and clusters probed for distant ones. */
export const PROBES_MIN: i32 = 8;
export const DISTANT_PROBES: i32 = 24;
/** More clusters are probed until this many samples are measured: matches may lie in several directions. */
export const SAMPLES_MIN: i32 = 128;
/** Maximum samples measured: a cluster of many copies has no end. */
export const SAMPLES_MAX: i32 = 512;
/** Maximum samples checked against the filter. */
export const SAMPLES_CHECKED_MAX: i32 = 16384;
/** Nearest samples that become entry points, and how many of these may lie at one distance. */
export const ENTRY_POINTS: i32 = 8;
export const ENTRY_POINT_TIES: i32 = 2;
/** Minimum centroids in the shortlist by binary codes: it holds 0.92 of the nearest 8 of 724. */
export const SHORTLIST_MIN: i32 = 32;
/** The same for each cluster of a search that probes fewer than PROBES_MIN. */
export const SHORTLIST_PER_PROBE: i32 = 4;
/** Bisections after which a shortlist's bound no longer improves: what is left are ties. */
export const BISECTIONS_MAX: i32 = 24;

// Copies of a row in the beam (docs/decisions/083-equal-distances.md).

/** Entries at the same distance on either side with which a row is compared: copies are most of them where they crowd. */
export const TIES_COMPARED: i32 = 4;

// Binary codes of nodes (docs/decisions/075-disk-profile.md).

/** By how many standard deviations of its estimate a row may be nearer: more would be read for nearly nothing. */
export const NODE_CODE_DEVIATIONS: f32 = 2;

// Out-of-distribution queries and outliers (docs/decisions/021-recall.md).

/**
 * Which of a node's neighbors, by different distances, tells the spacing of rows around it: the nearest may be a near copy,
 * and a small cluster has few rows.
 */
export const SPACING_RANK: i32 = 2;
/** Distances that codes cannot tell from 0, as 1 - cosine or as a share of the squared norm. */
export const DISTANCE_EPSILON: f32 = 0.005;
