// Tuned constants of graph construction (docs/decisions/018-graph-construction.md).

/** Nodes at one distance in the beam of a construction search beyond which copies of them are left out. */
export const BUILD_TIES: i32 = 4;
/** Beam width of the searches that attach an outlier. */
export const OUTLIER_EF: i32 = 8;
/** A row is an outlier from this many times the spacing of the rows around its nearest node (docs/decisions/021-recall.md). */
export const OUTLIER_RATIO_MIN: f32 = 4;
/**
 * Where a few rows occlude all others (around the origin, say), robust pruning is repeated with a larger alpha until half of
 * the degree is reached: at most this often, by this factor each time.
 */
export const RELAXATIONS_MAX: i32 = 4;
export const RELAX_FACTOR: f32 = 1.5;
/**
 * At most this part of a node's edges lead in directions of their own; the others lead to its nearest rows. Without that
 * part, searches of wide candidate lists measure half as much again on synthetic data (docs/decisions/039-beam-width.md).
 */
export const DIRECTIONS_PART: i32 = 5;
export const DIRECTIONS_WHOLE: i32 = 6;
/** Rounding of a squared distance computed from norms, relative to these: smaller differences are ties. */
export const DISTANCE_ROUNDING: f32 = 2e-6;
