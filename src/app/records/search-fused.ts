// Searches by several targets, each on its own, and fuses their rankings.

import { TOP_K_MAX } from '../../domain/limits.ts';
import type { Metric } from '../../domain/metric.ts';
import { rankingMetric } from '../../domain/ranking-metric.ts';
import { type FusedMatch, type Fusion, fuseRankings, type Ranking } from './fuse-rankings.ts';
import type { QueryRequest, VectorReader } from './record-access.ts';

/**
 * Matches of each target that take part in a fusion, at least; of more targets than one, deeper ranks matter. By ranks, 30
 * rank as well as 100, and a vector search for 100 takes six times the distances of one for 10
 * (docs/decisions/035-search-extensions.md). By scores, the worst match of a ranking is part of its scale.
 */
const FUSED_DEPTH_MIN = { rrf: 30, weighted: 100 };
const FUSED_DEPTH_FACTOR = 2;

/** What one ranking is by. */
export type FusedTarget = Pick<QueryRequest, 'values' | 'sparse' | 'text'>;

export interface FusedSearch {
  readonly fusion: Fusion;
  /** One for each target. */
  readonly weights: readonly number[];
  readonly metric: Metric;
  readonly options: Omit<QueryRequest, keyof FusedTarget>;
}

/** The top `topK` of all rankings together. */
export async function searchFused(
  reader: VectorReader,
  targets: readonly FusedTarget[],
  { fusion, weights, metric, options }: FusedSearch,
): Promise<readonly FusedMatch[]> {
  const { topK } = options;
  const depth = Math.min(TOP_K_MAX, Math.max(FUSED_DEPTH_MIN[fusion.method], FUSED_DEPTH_FACTOR * topK));
  const idsOnly = { ...options, topK: depth, includeValues: false, includeMetadata: false };
  const rankings = await Promise.all(
    targets.map(async (target, position) => ({
      ...(await ranked(reader, { ...idsOnly, ...target }, fusion)),
      weight: weights[position] ?? 1,
      isAscending: rankingMetric({ metric }, target) === 'euclidean',
    })),
  );
  return fuseRankings(rankings, { fusion, topK });
}

async function ranked(
  reader: VectorReader,
  request: QueryRequest,
  { method }: Fusion,
): Promise<Pick<Ranking, 'matches' | 'scoreMax'>> {
  if (method === 'rrf' || !request.text) return { matches: await reader.query(request), scoreMax: null };
  const { matches, explanation } = await reader.explainQuery(request);
  return { matches, scoreMax: explanation.textScoreMax };
}
