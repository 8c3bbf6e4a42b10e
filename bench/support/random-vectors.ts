// Vectors that are the same in every run.

/** `count` lists of numbers from -0.5 to 0.5, by a linear congruential generator. */
export function randomVectors(
  count: number,
  dimension: number,
  seed: number,
): readonly (readonly number[])[] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Number((state / 2 ** 32 - 0.5).toFixed(6));
  };
  return Array.from({ length: count }, () => Array.from({ length: dimension }, next));
}
