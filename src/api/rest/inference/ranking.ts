// From scores to a ranking.

export interface Ranked {
  /** Position before ranking. */
  readonly index: number;
  readonly score: number;
}

/** The `count` best, best first; of equal scores, the earlier one. */
export function bestFirst(scores: readonly number[], count: number): readonly Ranked[] {
  const ranked = scores.map((score, index) => ({ index, score }));
  return ranked.sort((one, other) => other.score - one.score || one.index - other.index).slice(0, count);
}
