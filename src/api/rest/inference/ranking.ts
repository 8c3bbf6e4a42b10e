// Ranks documents by their scores.

export interface Ranked {
  /** The position before ranking. */
  readonly index: number;
  readonly score: number;
}

/** The top `count` in descending order; equal scores keep their order. */
export function bestFirst(scores: readonly number[], count: number): readonly Ranked[] {
  const ranked = scores.map((score, index) => ({ index, score }));
  return ranked.sort((one, other) => other.score - one.score || one.index - other.index).slice(0, count);
}
