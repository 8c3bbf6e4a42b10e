// The matches of a query by whatever it goes: vectors, a record, examples, with fusion or diversity.
import type { Metric } from '../../domain/metric.ts';
import type { VectorPair } from '../../domain/records/vector-record.ts';
import type { Diversity } from './diversify.ts';
import { groupRecords, type RankedMatch, type RequestedGroups, type SearchOptions } from './group-matches.ts';
import { exampleIds, type Recommendation, recommendedVector } from './recommend.ts';
import type { Match, VectorReader } from './record-access.ts';
import type { FusedSearch } from './search-fused.ts';
import { type SearchTarget, searchStore, searchStoreFused, vectorsOfTarget } from './search-records.ts';
import { searchVaried } from './search-varied.ts';

/** What a query goes by: a target or a recommendation. */
export interface QueryPlan {
  readonly target: SearchTarget | null;
  readonly recommendation: Recommendation | null;
  readonly diversity: Diversity | null;
  readonly fusion: Omit<FusedSearch, 'options'> | null;
  /** Not beside a diversity. */
  readonly groups: RequestedGroups | null;
  readonly metric: Metric;
}

/**
 * The matches of a query; none when no record has its id, or none of its positive examples.
 * @throws invalid-argument, response-too-big
 */
export async function queryMatches(
  store: VectorReader,
  options: SearchOptions,
  plan: QueryPlan,
): Promise<readonly RankedMatch[]> {
  const { groups, fusion } = plan;
  if (groups === null) return ungrouped(store, options, plan);
  const search = (narrowed: SearchOptions) => ungrouped(store, narrowed, plan);
  return groupRecords(store, options, { groups, search, isRepeatable: fusion === null });
}

async function ungrouped(
  store: VectorReader,
  options: SearchOptions,
  { target, recommendation, diversity, fusion, metric }: QueryPlan,
): Promise<readonly Match[]> {
  if (target !== null && fusion !== null) return searchStoreFused(store, target, { ...fusion, options });
  if (target !== null && diversity === null) return searchStore(store, target, options);
  const { namespace } = options;
  const vectors =
    target !== null
      ? await vectorsOfTarget(store, namespace, target)
      : recommendation !== null
        ? pairOf(await recommendedVector(store, namespace, { recommendation, metric }))
        : null;
  if (vectors === null) return [];
  const excluded = recommendation === null ? [] : exampleIds(recommendation);
  return searchVaried(store, { request: { ...options, ...vectors }, excluded, diversity, metric });
}

function pairOf(values: Float32Array | null): VectorPair | null {
  return values === null ? null : { values, sparse: null };
}
