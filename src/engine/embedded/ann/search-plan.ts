// Plans the search of the slots that are in a graph: a scan of the matching slots, or a beam search and its bounds.
import type { EarlyTermination, GraphSearch, PreliminarySearch } from '../kernels/graph-interface.ts';
import {
  BEAM_CAPACITY_MAX,
  BRIEF,
  COST,
  EFFORT,
  FILTERED,
  GRAPH_DIMENSION_MIN,
  OUT_OF_DISTRIBUTION,
  PRELIMINARY,
  ROWS_MEASURED,
  SLACK,
  TERMINATION,
} from './search-tuning.ts';

export interface PlanInput {
  readonly topK: number;
  readonly dimension: number;
  /** Slots below this number are in the graph. */
  readonly graphSlots: number;
  /** Slots among them that are live and match the filter. */
  readonly matching: number;
  /** True for the cosine metric, and where nearly all rows are known to have about the same norm (see `NormSpread`). */
  readonly evenNorms: boolean;
  /** Requested factor on ef and on early termination; default 1. */
  readonly effort?: number;
  /** Factor on the candidates, where codes did not tell fewer of them apart; default 1. */
  readonly width?: number;
}

export type GraphSearchSettings = Pick<GraphSearch, 'ef' | 'ties' | 'termination' | 'filtered' | 'probes'>;

type PreliminarySettings = Omit<PreliminarySearch, 'matchesMin'>;

export interface GraphSearchPlan {
  readonly structure: 'graph';
  readonly search: GraphSearchSettings;
  /** Entries of the beam: matching nodes, and non-matching ones between them. */
  readonly beamCapacity: number;
  /** With fewer results than this, the graph search has failed and a scan is needed. */
  readonly foundMin: number;
  /** Results, nearest first, whose score bounds are needed. */
  readonly candidates: number;
  /** Results to score exactly before the bounds are first compared. */
  readonly rescoreMin: number;
  /** At this effort a graph search would cost as much as a scan. */
  readonly scanEffort: number;
}

export type SearchPlan = { readonly structure: 'scan' } | GraphSearchPlan;

/** How a search goes through a graph: past the records that do not match, or over them where most do not. */
export type Traversal = 'unfiltered' | 'through' | 'over';

/** @param selectivity the share of the graph's slots that match; null without a filter */
export function traversalOf(selectivity: number | null): Traversal {
  if (selectivity === null) return 'unfiltered';
  return selectivity < FILTERED.PASS_THROUGH_MIN ? 'over' : 'through';
}

/** Plans a search; a pure function of its input. */
export function planSearch(input: PlanInput): SearchPlan {
  const { topK, dimension, graphSlots, matching, width = 1 } = input;
  if (matching <= topK || dimension < GRAPH_DIMENSION_MIN) return { structure: 'scan' };
  const selectivity = matching / graphSlots;
  const foundMin = Math.min(topK, matching);
  const asked = askedEffort(input, selectivity);
  const brevity = Math.min(1, asked / BRIEF.STABLE_BELOW);
  const scale = {
    effort: asked * effortScale(input, selectivity),
    stableMin: Math.ceil(foundMin * brevity),
  };
  const slack = slackFor(topK, { graphSlots, brevity });
  const bySize = sizeFactor(input);
  const atLocal = (localSelectivity: number) => terminationFor(topK, { localSelectivity, bySize });
  const termination = widened(scaled({ ...atLocal(1), slack }, scale), width);
  const terminationAtNone = widened(scaled({ ...atLocal(0), slack }, scale), width);
  const rowNs = rowCostNs(dimension);
  const ef = Math.max(
    termination.stableResults + TERMINATION.EF_PER_PATIENCE * termination.patience,
    Math.ceil(BRIEF.EF_PER_RESULT * foundMin) + BRIEF.EF_MORE,
  );
  const stepNs = rowNs + COST.STEP_NS + COST.BEAM_ENTRY_NS * ef;
  const graphNs = rowsMeasured(widened(scaled(atLocal(selectivity), scale), width), selectivity) * stepNs;
  // A scan may cost more than a filtered graph search, because it is exact.
  const worthNs = graphNs * filteredEffortMax(selectivity);
  const scanNs = matching * rowNs;
  const preliminary =
    selectivity < FILTERED.PASS_THROUGH_MIN
      ? preliminaryFor(input, { selectivity, abandonsCrowded: scanNs <= worthNs })
      : null;
  const preliminaryNs = preliminary === null ? Infinity : preliminaryRows(preliminary) * stepNs;
  const scanNsMax = Math.min(worthNs, PRELIMINARY.SCAN_FACTOR * preliminaryNs);
  if (scanNs <= scanNsMax || ef > BEAM_CAPACITY_MAX) return { structure: 'scan' };
  const canAbandon = scanNs < FILTERED.ABANDON_SCAN_FACTOR * worthNs;
  const filtered = filteredTraversalFor(selectivity, { terminationAtNone, canAbandon, preliminary });
  return {
    structure: 'graph',
    search: { ef, ties: 2 * topK, termination, filtered, probes: probesFor(asked) },
    beamCapacity: beamCapacityFor(Math.max(ef, termination.slack?.ef ?? 0), selectivity),
    foundMin,
    candidates: Math.max(termination.stableResults, 3 * topK * width),
    rescoreMin: topK + 2,
    scanEffort: scanNs / worthNs,
  };
}

/** Little effort is for searches of all records: around a query of a filtered one, there may be few matches. */
function askedEffort({ effort = 1 }: PlanInput, selectivity: number): number {
  return selectivity < 1 ? Math.max(BRIEF.PROBES_BELOW, effort) : effort;
}

function probesFor(effort: number): number {
  const part = Math.min(1, effort / BRIEF.PROBES_BELOW);
  return Math.max(BRIEF.PROBES_MIN, Math.round(BRIEF.PROBES * part));
}

/** Estimated nanoseconds to compare a query with the codes of one row. */
export function rowCostNs(dimension: number): number {
  return COST.ROW_NS + COST.COMPONENT_NS * dimension;
}

/** The plan with ef and early termination scaled by `effort`, without a preliminary search. */
export function withEffort(plan: GraphSearchPlan, effort: number): GraphSearchPlan {
  const { termination, filtered } = plan.search;
  if (effort === 1 || termination === null) return plan;
  const scale = { effort, stableMin: plan.foundMin };
  const longer = scaled(termination, scale);
  const terminationAtNone = filtered?.terminationAtNone ? scaled(filtered.terminationAtNone, scale) : null;
  const beamCapacity = Math.min(BEAM_CAPACITY_MAX, Math.ceil(plan.beamCapacity * Math.max(1, effort)));
  const ef = Math.min(beamCapacity, Math.ceil(plan.search.ef * Math.max(1, effort)));
  const traversal = filtered && { ...filtered, terminationAtNone, preliminary: null };
  return { ...plan, beamCapacity, search: { ...plan.search, ef, termination: longer, filtered: traversal } };
}

/**
 * The effort with which to repeat a search, given the out-of-distribution ratio of its result (see
 * `GraphKernel.outOfDistributionRatio`).
 * @returns 1 where no retry is needed, Infinity where a scan costs about as much as the retry
 */
export function retryEffort(outOfDistributionRatio: number, { scanEffort }: GraphSearchPlan): number {
  if (!(outOfDistributionRatio >= OUT_OF_DISTRIBUTION.RATIO_MIN)) return 1;
  const effort = Math.min(
    OUT_OF_DISTRIBUTION.EFFORT_MAX,
    outOfDistributionRatio * OUT_OF_DISTRIBUTION.EFFORT_PER_RATIO,
  );
  return effort * OUT_OF_DISTRIBUTION.SCAN_FACTOR < scanEffort ? effort : Number.POSITIVE_INFINITY;
}

function scaled(
  { stableResults, patience, slack }: EarlyTermination,
  { effort, stableMin }: { readonly effort: number; readonly stableMin: number },
): EarlyTermination {
  return {
    stableResults: Math.max(stableMin, Math.ceil(stableResults * effort)),
    patience: Math.max(1, Math.ceil(patience * effort)),
    slack: slack && {
      ...slack,
      share: slack.share * effort ** SLACK.EFFORT_EXPONENT,
      ef: Math.ceil(slack.ef * effort),
    },
  };
}

/** Finds `width` times as many results, with the patience of before. */
function widened({ stableResults, patience, slack }: EarlyTermination, width: number): EarlyTermination {
  return {
    stableResults: stableResults * width,
    patience,
    slack: slack && { ...slack, ef: slack.ef * width },
  };
}

/** More in larger graphs, whose queries have more nodes that are about as near; in small ones less suffices. */
function sizeFactor({ topK, graphSlots, matching, evenNorms }: PlanInput): number {
  const { SLOTS, SLOTS_EXPONENT, SLOTS_FACTOR_MIN, SLOTS_FACTOR_MAX } = TERMINATION;
  // What misses one of one result has missed all, and a filter leaves fewer nodes to be stable.
  const mayBeLess = evenNorms && matching === graphSlots && topK >= TERMINATION.LESS_TOP_K_MIN;
  const least = mayBeLess ? SLOTS_FACTOR_MIN : 1;
  return Math.max(least, Math.min(SLOTS_FACTOR_MAX, (graphSlots / SLOTS) ** SLOTS_EXPONENT));
}

/** Early termination in a graph of some size where `localSelectivity` of the nodes around the query match. */
function terminationFor(
  topK: number,
  { localSelectivity, bySize }: { readonly localSelectivity: number; readonly bySize: number },
): EarlyTermination {
  const { STABLE_PER_RESULT, STABLE_PER_RESULT_MAX, STABLE_GROWTH_TOP_K } = TERMINATION;
  const perResult = Math.min(STABLE_PER_RESULT_MAX, STABLE_PER_RESULT + topK / STABLE_GROWTH_TOP_K);
  return {
    stableResults:
      bySize *
      Math.max(TERMINATION.AT_NONE, localSelectivity * TERMINATION.STABLE_RESULTS + topK * perResult),
    patience: bySize * Math.max(TERMINATION.AT_NONE, localSelectivity * TERMINATION.PATIENCE + topK),
    slack: null,
  };
}

/** More in larger graphs, whose rows lie closer together. */
function slackFor(
  topK: number,
  { graphSlots, brevity }: { readonly graphSlots: number; readonly brevity: number },
): EarlyTermination['slack'] {
  const rank = Math.max(SLACK.RANK_MIN, topK);
  const bySize = Math.max(1, graphSlots / SLACK.SLOTS) ** SLACK.SLOTS_EXPONENT;
  const share = SLACK.SHARE * bySize * (SLACK.RANK_MIN / rank) ** SLACK.RANK_EXPONENT;
  const ef = SLACK.EF_MIN + SLACK.EF_PER_RESULT * topK;
  return { rank: Math.ceil(rank * brevity), share: share * brevity, ef };
}

function rowsMeasured({ stableResults, patience }: EarlyTermination, selectivity: number): number {
  const rowsEach = Math.min(ROWS_MEASURED.PER_TWO_HOP, ROWS_MEASURED.PER_NODE / selectivity);
  return ROWS_MEASURED.APPROACH + (stableResults + patience) * rowsEach;
}

function preliminaryRows({ depth }: PreliminarySettings): number {
  return ROWS_MEASURED.APPROACH + depth * PRELIMINARY.ROWS_PER_NODE;
}

function beamCapacityFor(ef: number, selectivity: number): number {
  const entries = Math.ceil(ef / Math.max(selectivity, FILTERED.PASS_THROUGH_MIN / 2));
  return Math.min(BEAM_CAPACITY_MAX, entries + FILTERED.LOCAL_NODES_MAX * 4);
}

function effortScale({ topK, evenNorms }: PlanInput, selectivity: number): number {
  const effort = evenNorms ? 1 : EFFORT.UNEVEN_NORMS * (1 + Math.min(1, topK / EFFORT.UNEVEN_TOP_K));
  // The full factor where a preliminary search precedes: what follows is for the queries on which it failed.
  const filtered =
    selectivity < FILTERED.PASS_THROUGH_MIN
      ? EFFORT.FILTERED_MAX
      : Math.max(1, topK / selectivity / EFFORT.FILTERED_NODES);
  return (
    effort *
    Math.min(filteredEffortMax(selectivity), filtered) *
    Math.min(EFFORT.SELECTIVE_MAX, Math.max(1, EFFORT.SELECTIVE_BELOW / selectivity))
  );
}

function filteredEffortMax(selectivity: number): number {
  return Math.min(EFFORT.FILTERED_MAX, 1 + EFFORT.FILTERED_MAX * (1 - selectivity));
}

function filteredTraversalFor(
  selectivity: number,
  options: {
    readonly terminationAtNone: EarlyTermination;
    readonly canAbandon: boolean;
    readonly preliminary: PreliminarySettings | null;
  },
): GraphSearch['filtered'] {
  if (selectivity === 1) return null;
  const { terminationAtNone, canAbandon, preliminary } = options;
  const expected = Math.max(FILTERED.LOCAL_NODES_MIN, FILTERED.LOCAL_MATCHES / selectivity);
  const localNodes = Math.ceil(Math.min(FILTERED.LOCAL_NODES_MAX, expected));
  const passThroughMin = Math.ceil(FILTERED.PASS_THROUGH_MIN * localNodes);
  const abandonBelow = canAbandon
    ? Math.min(passThroughMin, Math.ceil(FILTERED.ABANDON_PART * selectivity * localNodes))
    : 0;
  const matchesMin = Math.ceil(PRELIMINARY.LOCAL_PART * selectivity * localNodes);
  return {
    localNodes,
    selectivity,
    terminationAtNone,
    passThroughMin,
    abandonBelow,
    expansionMax: FILTERED.TWO_HOP_ROWS,
    preliminary: preliminary && { ...preliminary, matchesMin },
  };
}

function preliminaryFor(
  { topK, effort: given = 1, evenNorms }: PlanInput,
  { selectivity, abandonsCrowded }: { readonly selectivity: number; readonly abandonsCrowded: boolean },
): PreliminarySettings {
  const effort = Math.max(BRIEF.PROBES_BELOW, given);
  const scale = effort * (evenNorms ? 1 : EFFORT.UNEVEN_NORMS);
  const rank = Math.max(PRELIMINARY.RANK_MIN, topK);
  const more = scale * (PRELIMINARY.DEPTH_NODES + (PRELIMINARY.DEPTH_MORE_PART * topK) / selectivity);
  return {
    depth: Math.ceil((PRELIMINARY.DEPTH_PART * topK) / selectivity + more),
    rank,
    crowdMin: Math.ceil((PRELIMINARY.CROWD_FACTOR * rank) / selectivity),
    abandonsCrowded,
  };
}
