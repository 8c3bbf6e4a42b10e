// Fuses two rankings: dense similarity and common words.

export interface Scored {
  readonly id: string;
  readonly score: number;
}

export interface TwoRankings {
  /** Best first: similarities, usually 0 to 1. */
  readonly dense: readonly Scored[];
  /** Best first: inner products with the words of the question. */
  readonly sparse: readonly Scored[];
  /** Inner product of the question with itself; 0 for a question without words. */
  readonly sparseWhole: number;
  /** Maximum length of each ranking. */
  readonly limit: number;
}

/**
 * Similarity + (share of the question's words)^3, best first; ties by id. The power makes the few words that any two
 * texts have in common count for nothing, and most of the question's words for much. What only one ranking holds has
 * at most the last score of the other: it is given that.
 */
export function fuseScores({ dense, sparse, sparseWhole, limit }: TwoRankings): Scored[] {
  const shares = sparse.map(({ id, score }) => ({ id, score: sparseWhole > 0 ? score / sparseWhole : 0 }));
  const similarity = scoreOf(dense, dense.at(-1)?.score ?? 0);
  const share = scoreOf(shares, shares.length < limit ? 0 : (shares.at(-1)?.score ?? 0));
  const ids = new Set([...dense, ...sparse].map(({ id }) => id));
  return [...ids]
    .map((id) => ({ id, score: similarity(id) + share(id) ** 3 }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
}

function scoreOf(ranking: readonly Scored[], absent: number): (id: string) => number {
  const scores = new Map(ranking.map(({ id, score }) => [id, score]));
  return (id) => scores.get(id) ?? absent;
}
