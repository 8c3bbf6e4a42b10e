// Ranks the documents of a search: by one target, by several whose rankings are fused, and group by group.
import {
  groupMatches,
  type RankedMatch,
  type RequestedGroups,
  type SearchOptions,
} from '../../../app/records/group-matches.ts';
import type { Match, VectorReader } from '../../../app/records/record-access.ts';
import { searchFused } from '../../../app/records/search-fused.ts';
import type { DataCall } from '../../endpoint.ts';
import { countedAmong } from '../records/read-facets.ts';
import { type RequestedFusion, rankingWeights } from '../records/read-fusion.ts';
import type { SearchTarget } from './search-targets.ts';

export interface Ranking {
  /** Several only with a fusion. */
  readonly targets: readonly SearchTarget[];
  readonly fusion: RequestedFusion | null;
  /** True where the scores of even one target are those of a fusion. */
  readonly isFused: boolean;
  readonly groups: RequestedGroups | null;
  readonly options: SearchOptions;
}

/** The matches in the order of the answer. Documents are read as the options say only of one ungrouped target. */
export async function rankDocuments(
  call: DataCall<VectorReader>,
  ranking: Ranking,
): Promise<readonly RankedMatch[]> {
  const { groups, options, isFused } = ranking;
  if (groups === null) return rank(call, ranking);
  return groupMatches(call.store, options, {
    groups,
    isRepeatable: !isFused,
    search: (narrowed) => rank(call, { ...ranking, options: narrowed }),
  });
}

/** As `rankDocuments`, with the number of documents that match a target, however they are grouped and fused. */
export async function rankAndCount(
  call: DataCall<VectorReader>,
  ranking: Ranking,
): Promise<{ readonly matches: readonly RankedMatch[]; readonly matched: number }> {
  const { targets, isFused, groups, options } = ranking;
  const [only] = targets;
  if (only !== undefined && !isFused && groups === null)
    return call.store.countedQuery({ ...options, ...only });
  const matches = await rankDocuments(call, ranking);
  const { namespace, filter } = options;
  return { matches, matched: await call.store.count(namespace, filter, countedAmong(targets)) };
}

async function rank(
  { index, store }: DataCall<VectorReader>,
  { targets, fusion, isFused, options }: Ranking,
): Promise<readonly Match[]> {
  const [only] = targets;
  if (only === undefined) return [];
  if (!isFused) return store.query({ ...options, ...only });
  if (fusion === null) throw new Error('several rankings need a fusion');
  const weights = rankingWeights(fusion, targets.length);
  return searchFused(store, targets, { fusion: fusion.fusion, weights, metric: index.metric, options });
}
