// Boosts of scores, whose products may leave the range of numbers.

/** Scores are at most the largest f32: an infinite one would be no number in JSON, nor have a share in a fusion. */
export const SCORE_MAX = (2 - 2 ** -23) * 2 ** 127;

/** A score as answers have it: rounded to 32 bits so that equal records tie. */
export function roundedScore(score: number): number {
  return Math.min(Math.fround(score), SCORE_MAX);
}

/** A score or a factor multiplied by another: 0 stays 0 however large the other is, and none is infinite. */
export function boosted(score: number, factor: number): number {
  return score === 0 || factor === 0 ? 0 : Math.min(score * factor, Number.MAX_VALUE);
}
