// Fuses rankings of different searches into one: by ranks, or by scores brought to one scale.
import type { Match } from './record-access.ts';

/**
 * `rrf`: reciprocal rank fusion (Cormack, Clarke, Buettcher 2009), the sum of weight / (k + rank), ranks from 1.
 * `weighted`: the sum of weight * score. Scores are scaled to 0..1 between the worst and the best match of their ranking.
 * Those by words are not: the best match of a query whose words hardly occur would count as much as one that has them
 * all. They are TEXT_SCALE * share^2 of the score that the words could give at most, the theoretical bound that Bruch,
 * Gai and Ingber (2023) prefer.
 */
export type Fusion = { readonly method: 'rrf'; readonly k: number } | { readonly method: 'weighted' };

export interface Ranking {
  readonly matches: readonly Pick<Match, 'id' | 'score'>[];
  /** At least 0. */
  readonly weight: number;
  /** True where the lowest score is the best. */
  readonly isAscending: boolean;
  /** Of a ranking by words: the score that shares are of; hardly any exceeds it. */
  readonly scoreMax: number | null;
}

/** Tuned together with the square on the project's retrieval sets: docs/decisions/035-search-extensions.md. */
export const TEXT_SCALE = 5;

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

function scoreShare({ matches, isAscending, scoreMax }: Ranking): Share {
  // A word in many fields may give more than its share, and scores above the range of f32 are infinite.
  if (scoreMax !== null)
    return (_, score) => (scoreMax > 0 ? TEXT_SCALE * Math.min(1, score / scoreMax) ** 2 : 0);
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
