// How exactly scores of sparse vectors are told apart: as 32-bit floats are, also where none is large enough.

/** A factor that brings scores beyond the largest 32-bit float back among them: none reaches 2^268. */
const SCALE = 2 ** 192;

/**
 * The score with the 24 binary digits of a 32-bit float. The float that it rounds to where there is one; scores beyond the
 * largest keep their order, where they would all be Infinity.
 */
export function roundedScore(score: number): number {
  const rounded = Math.fround(score);
  return Number.isFinite(rounded) ? rounded : Math.fround(score / SCALE) * SCALE;
}
