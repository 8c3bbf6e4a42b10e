// How well a ranking finds the one passage that answers a query.

/** Position of the answer, 0 = first; of equal scores, earlier passages come first. Infinity when it is not scored at all. */
export function rankOf(scores: ArrayLike<number>, answer: number): number {
  const mine = scores[answer] ?? -Infinity;
  if (mine === -Infinity) return Infinity;
  let rank = 0;
  for (let i = 0; i < scores.length; i++) {
    const score = scores[i] ?? -Infinity;
    if (score > mine || (score === mine && i < answer)) rank++;
  }
  return rank;
}

/** Means over queries, 0..1. */
export interface Quality {
  /** With one answer a query: 1 / log2(rank + 1) up to rank 10. */
  readonly ndcg10: number;
  readonly recall100: number;
  /** 1 / rank up to rank 10. */
  readonly mrr10: number;
}

export function qualityOf(ranks: readonly number[]): Quality {
  const mean = (gain: (rank: number) => number) =>
    ranks.reduce((sum, rank) => sum + gain(rank), 0) / ranks.length;
  return {
    ndcg10: mean((rank) => (rank < 10 ? 1 / Math.log2(rank + 2) : 0)),
    recall100: mean((rank) => (rank < 100 ? 1 : 0)),
    mrr10: mean((rank) => (rank < 10 ? 1 / (rank + 1) : 0)),
  };
}
