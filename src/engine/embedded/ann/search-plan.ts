// Chooses how the part of a namespace that is in a graph is searched: by scanning the matches, or by which walk.
import type { GraphFirst, GraphSearch, GraphStop } from '../kernels/graph-interface.ts';

export interface PlanInput {
  readonly topK: number;
  readonly dimension: number;
  /** Slots below are in the graph. */
  readonly graphSlots: number;
  /** Slots among them that are live and match the filter. */
  readonly wanted: number;
  /** True by cosine, and where nearly all rows are known to be about equally long (see `NormSpread`). */
  readonly evenNorms: boolean;
  /** How much more than by default a walk is to do, as the caller asks; default 1. */
  readonly effort?: number;
}

export type WalkSettings = Pick<GraphSearch, 'keep' | 'ties' | 'stop' | 'crossing'>;

type FirstWalk = Omit<GraphFirst, 'from'>;

export interface WalkPlan {
  readonly structure: 'walk';
  readonly walk: WalkSettings;
  /** Places of the beam: room for the wanted ones and unwanted ones between them. */
  readonly places: number;
  /** With fewer findings, the graph did not do: scan. */
  readonly foundMin: number;
  /** Findings, best first, of which bounds are needed. */
  readonly candidates: number;
  /** Findings to score before the first look at the bounds. */
  readonly rescoreMin: number;
  /** A walk of this many times the effort would cost as much as a scan. */
  readonly scanEffort: number;
}

export type SearchPlan = { readonly structure: 'scan' } | WalkPlan;

/** Most places of a beam that a plan asks for: a walk with all of them full is slower than a scan. */
export const PLACES_MAX = 65_536;

/**
 * Costs in nanoseconds, measured (docs/decisions/020-filtered-search.md): what a row costs that lies anywhere, and what
 * a row that a walk measures costs besides (links, the beam). Only their ratio counts.
 */
const ROW_NS = 30;
const COMPONENT_NS = 0.1;
const STEP_NS = 60;
/** What each place of a beam adds to that. */
const PLACE_NS = 0.03;

/**
 * What a walk measures until it is near the query, in rows; then for each node of its front and its patience: as many as lie
 * between two wanted ones where it passes through the others, a constant where it hops over them.
 */
const APPROACH_ROWS = 200;
const ROWS_PER_NODE = 6;
const ROWS_PER_HOP = 60;
/** Filters that want less than this share take as much more effort as they are rarer, up to a bound. */
const SPARSE_SHARE = 0.1;
const SPARSE_EFFORT_MAX = 4;
/**
 * How many times as much as an unfiltered walk a filtered one does: the more, the farther its best reach beyond so many nodes
 * around the query; at most twice as much, less where more than half of the nodes are wanted.
 */
const NEAR_NODES = 66;
const FILTERED_EFFORT_MAX = 2;

/** Nodes around the query whose share of wanted ones decides how to cross the others; more for rare ones. */
const LOOK_MIN = 64;
const LOOK_MAX = 256;
/** Wanted ones that a filter without relation to the query is expected to have among them. */
const LOOK_EXPECTED = 20;
/** Share of wanted ones around the query from which on passing through the others costs less than hops. */
const PASS_SHARE = 0.3;
/** Around the query, this part of the filter's share tells that what is wanted lies elsewhere: graphs help little then. */
const AWAY_PART = 0.5;
/** Above this many times the cost of the walk, a scan is not an answer to that. */
const AWAY_SCAN_FACTOR = 36;
/** New nodes that an expansion by hops measures. */
const HOP_ROWS = 64;

/**
 * A first, short walk where fewer than PASS_SHARE are wanted (docs/decisions/020-filtered-search.md): the nodes of all
 * kinds that it expands are a part of those among which the results are to be expected, whatever the effort, and by
 * effort so many more and another part.
 */
const FIRST_PART = 0.3;
const FIRST_MORE_NODES = 44;
const FIRST_MORE_PART = 0.4;
/** Rows that it measures for each. */
const FIRST_ROWS_PER_NODE = 9;
/** It is tried with so much of the filter's share around the query. */
const FIRST_SHARE_PART = 0.6;
/** The wanted one that must not lie among many is the last of the results; where these are few, another beyond. */
const FIRST_FRONT_MIN = 5;
/** How many times as many nodes as expected about as far as its last are many. */
const FIRST_MANY = 2.2;
/** A scan of so many times its cost is preferred, as some of these walks end in a scan. */
const FIRST_SCAN_FACTOR = 4;

/** Nodes at the front besides the results, and expansions besides as many as there are results that it rests. */
const FRONT_NODES = 32;
const PATIENCE_NODES = 40;
/** The least of both where next to none are wanted. */
const RARE_NODES = 8;

/**
 * How much larger fronts must be where norms differ widely: by dot product, rows of long norms are near to all; by
 * distance, rows of short ones are.
 */
const UNEVEN_EFFORT = 1.5;

/** With so many results, where norms differ, twice the effort. */
const TOP_K_A_PART = 200;

/**
 * From here on a walk's best finding lies so far off that nearer ones may have been missed
 * (docs/decisions/021-recall.md): queries drawn from the same source as the records have up to 3, those whose own
 * cluster is gone or filtered out 9 to 30.
 */
const FAINT_MIN = 4;
const EFFORT_PER_FAINTNESS = 0.6;
const FAINT_EFFORT_MAX = 6;
/** How much more than such a walk a scan may cost: it is exact. */
const FAINT_SCAN_FACTOR = 1.5;

/** With fewer dimensions, codes cannot tell neighbours apart (recall 0.56 in two), and scans cost next to nothing. */
const GRAPH_DIMENSION_MIN = 4;

/** Plans a search; a pure function of its input. */
export function planSearch(input: PlanInput): SearchPlan {
  const { topK, dimension, graphSlots, wanted } = input;
  if (wanted <= topK || dimension < GRAPH_DIMENSION_MIN) return { structure: 'scan' };
  const share = wanted / graphSlots;
  const foundMin = Math.min(topK, wanted);
  const scale = { effort: (input.effort ?? 1) * partFor(input, share), settledMin: foundMin };
  const stop = scaled(stopAmong(topK, 1), scale);
  const stopRare = scaled(stopAmong(topK, 0), scale);
  const stopUsual = scaled(stopAmong(topK, share), scale);
  const rowNs = rowCostNs(dimension);
  const keep = stop.settled + 2 * stop.patience;
  const stepNs = rowNs + STEP_NS + PLACE_NS * keep;
  const rowsEach = Math.min(ROWS_PER_HOP, ROWS_PER_NODE / share);
  const walkNs = (APPROACH_ROWS + (stopUsual.settled + stopUsual.patience) * rowsEach) * stepNs;
  // Exact answers may cost more than those of a filtered walk.
  const worthNs = walkNs * filteredMax(share);
  const scanNs = wanted * rowNs;
  const first = share < PASS_SHARE ? firstAmong(input, { share, isScan: scanNs <= worthNs }) : null;
  const firstRows = first === null ? Infinity : APPROACH_ROWS + first.depth * FIRST_ROWS_PER_NODE;
  const scanNsMax = Math.min(worthNs, FIRST_SCAN_FACTOR * firstRows * stepNs);
  if (scanNs <= scanNsMax || keep > PLACES_MAX) return { structure: 'scan' };
  const mayScan = scanNs < AWAY_SCAN_FACTOR * worthNs;
  return {
    structure: 'walk',
    walk: { keep, ties: 2 * topK, stop, crossing: crossingFor(share, { stopRare, mayScan, first }) },
    places: Math.min(PLACES_MAX, Math.ceil(keep / Math.max(share, PASS_SHARE / 2)) + LOOK_MAX * 4),
    foundMin,
    candidates: Math.max(stop.settled, 3 * topK),
    rescoreMin: topK + 2,
    scanEffort: scanNs / worthNs,
  };
}

/** About what it costs to compare a query with the codes of a row. */
export function rowCostNs(dimension: number): number {
  return ROW_NS + COMPONENT_NS * dimension;
}

/** A walk of less, or more, patience than planned. */
export function withEffort(plan: WalkPlan, effort: number): WalkPlan {
  const { stop, crossing } = plan.walk;
  if (effort === 1 || stop === null) return plan;
  const scale = { effort, settledMin: plan.foundMin };
  const longer = scaled(stop, scale);
  const stopRare = crossing?.stopRare ? scaled(crossing.stopRare, scale) : null;
  const places = Math.min(PLACES_MAX, Math.ceil(plan.places * Math.max(1, effort)));
  const keep = Math.min(places, longer.settled + 2 * longer.patience);
  const longerCrossing = crossing && { ...crossing, stopRare, first: null };
  return { ...plan, places, walk: { ...plan.walk, keep, stop: longer, crossing: longerCrossing } };
}

function scaled(
  { settled, patience }: GraphStop,
  { effort, settledMin }: { readonly effort: number; readonly settledMin: number },
): GraphStop {
  return {
    settled: Math.max(settledMin, Math.ceil(settled * effort)),
    patience: Math.max(1, Math.ceil(patience * effort)),
  };
}

/**
 * The effort of another walk, after one whose best finding was so faint (see `GraphKernel.faintness`); 1 where none is
 * needed, Infinity where a scan costs about as much.
 */
export function effortFor(faintness: number, { scanEffort }: WalkPlan): number {
  if (!(faintness >= FAINT_MIN)) return 1;
  const effort = Math.min(FAINT_EFFORT_MAX, faintness * EFFORT_PER_FAINTNESS);
  return effort * FAINT_SCAN_FACTOR < scanEffort ? effort : Number.POSITIVE_INFINITY;
}

/**
 * The front that must rest, and for how long, where this share of the nodes around the query is wanted: among as many nodes
 * of all kinds as without a filter, and for as many results. Recall is 0.98 and more with these on all data measured, whose
 * need differs widely (docs/decisions/021-recall.md).
 */
function stopAmong(topK: number, share: number): GraphStop {
  return {
    settled: Math.max(RARE_NODES, share * FRONT_NODES + topK * Math.min(4.2, 2.2 + topK / 500)),
    patience: Math.max(RARE_NODES, share * PATIENCE_NODES + topK),
  };
}

function partFor({ topK, evenNorms }: PlanInput, share: number): number {
  const effort = evenNorms ? 1 : UNEVEN_EFFORT * (1 + Math.min(1, topK / TOP_K_A_PART));
  // All of it where a first walk did not do.
  const filtered = share < PASS_SHARE ? FILTERED_EFFORT_MAX : Math.max(1, topK / share / NEAR_NODES);
  return (
    effort *
    Math.min(filteredMax(share), filtered) *
    Math.min(SPARSE_EFFORT_MAX, Math.max(1, SPARSE_SHARE / share))
  );
}

function filteredMax(share: number): number {
  return Math.min(FILTERED_EFFORT_MAX, 1 + FILTERED_EFFORT_MAX * (1 - share));
}

function crossingFor(
  share: number,
  {
    stopRare,
    mayScan,
    first,
  }: { readonly stopRare: GraphStop; readonly mayScan: boolean; readonly first: FirstWalk | null },
): GraphSearch['crossing'] {
  if (share === 1) return null;
  const look = Math.ceil(Math.min(LOOK_MAX, Math.max(LOOK_MIN, LOOK_EXPECTED / share)));
  const passFrom = Math.ceil(PASS_SHARE * look);
  const cutBelow = mayScan ? Math.min(passFrom, Math.ceil(AWAY_PART * share * look)) : 0;
  const from = Math.ceil(FIRST_SHARE_PART * share * look);
  const tried = first && { ...first, from };
  return { look, usual: share, stopRare, passFrom, cutBelow, enough: HOP_ROWS, first: tried };
}

/** The first walk among so large a share of wanted nodes. */
function firstAmong(
  { topK, effort = 1, evenNorms }: PlanInput,
  { share, isScan }: { readonly share: number; readonly isScan: boolean },
): FirstWalk {
  const part = effort * (evenNorms ? 1 : UNEVEN_EFFORT);
  const front = Math.max(FIRST_FRONT_MIN, topK);
  const more = part * (FIRST_MORE_NODES + (FIRST_MORE_PART * topK) / share);
  return {
    depth: Math.ceil((FIRST_PART * topK) / share + more),
    front,
    many: Math.ceil((FIRST_MANY * front) / share),
    isScan,
  };
}
