// Fuses rankings of different searches into one: by ranks, or by scores brought to one scale.
import type { Match } from './record-access.ts';

/**
 * `rrf`: reciprocal rank fusion (Cormack, Clarke, Buettcher 2009), the sum of weight / (k + rank), ranks from 1.
 * `weighted`: the sum of weight * score, each ranking's scores scaled to 0..1 between its worst and its best match.
 */
export type Fusion = { readonly method: 'rrf'; readonly k: number } | { readonly method: 'weighted' };

export interface Ranking {
  readonly matches: readonly Pick<Match, 'id' | 'score'>[];
  /** At least 0. */
  readonly weight: number;
  /** True where the lowest score is the best. */
  readonly isAscending: boolean;
}

export interface FusedMatch {
  readonly id: string;
  readonly score: number;
}

/** The top `topK` of all rankings together, best first, ties by id. */
export function fuseRankings(
  rankings: readonly Ranking[],
  { fusion, topK }: { readonly fusion: Fusion; readonly topK: number },
): readonly FusedMatch[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings) {
    const shareOf = fusion.method === 'rrf' ? rankShare(fusion.k) : scoreShare(ranking);
    for (const [position, { id, score }] of ranking.matches.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + ranking.weight * shareOf(position, score));
    }
  }
  const fused = Array.from(scores, ([id, score]) => ({ id, score }));
  // Ids are ASCII, so that the order of code units is that of bytes.
  fused.sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1));
  return fused.slice(0, topK);
}

type Share = (position: number, score: number) => number;

function rankShare(k: number): Share {
  return (position) => 1 / (k + position + 1);
}

function scoreShare({ matches, isAscending }: Ranking): Share {
  const finite = matches.map(({ score }) => score).filter(Number.isFinite);
  const low = Math.min(...finite);
  const range = Math.max(...finite) - low;
  return (_, score) => {
    if (!Number.isFinite(score)) return 0;
    // All equal: each is as good as the best.
    if (range === 0) return 1;
    const share = (score - low) / range;
    return isAscending ? 1 - share : share;
  };
}
