// Boosts of scores, whose products may leave the range of numbers.

/** A score or a factor multiplied by another: 0 stays 0 however large the other is, and none is infinite. */
export function boosted(score: number, factor: number): number {
  return score === 0 || factor === 0 ? 0 : Math.min(score * factor, Number.MAX_VALUE);
}
