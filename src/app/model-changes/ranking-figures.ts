// Figures that compare two rankings, or one with the records that answer.

/** Weight of each further rank in rank-biased overlap (Webber, Moffat and Zobel 2010): the first ten have 86 % of it. */
const PERSISTENCE = 0.9;

/** The share of the records of the longer ranking that both have; 1 where both are empty. */
export function overlapOf(one: readonly string[], other: readonly string[]): number {
  const depth = Math.max(one.length, other.length);
  if (depth === 0) return 1;
  const ids = new Set(one);
  return other.filter((id) => ids.has(id)).length / depth;
}

/** Rank-biased overlap, scaled so that equal rankings of any length have 1. */
export function rankBiasedOverlap(one: readonly string[], other: readonly string[]): number {
  const depth = Math.max(one.length, other.length);
  if (depth === 0) return 1;
  let [sum, weights] = [0, 0];
  for (let rank = 1; rank <= depth; rank++) {
    const ids = new Set(one.slice(0, rank));
    const shared = other.slice(0, rank).filter((id) => ids.has(id)).length;
    const weight = PERSISTENCE ** (rank - 1);
    sum += (weight * shared) / rank;
    weights += weight;
  }
  return sum / weights;
}

/** The share of the relevant records that were found. */
export function recallOf(found: readonly string[], relevant: ReadonlySet<string>): number {
  return found.filter((id) => relevant.has(id)).length / relevant.size;
}

/** Normalized discounted cumulative gain, where each relevant record counts the same. */
export function ndcgOf(found: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const reached = found.reduce((sum, id, rank) => sum + (relevant.has(id) ? gain(rank) : 0), 0);
  const best = Array.from({ length: Math.min(relevant.size, found.length || relevant.size) }, (_, rank) =>
    gain(rank),
  );
  return reached / best.reduce((sum, each) => sum + each, 0);
}

/** Null for no numbers. */
export function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
