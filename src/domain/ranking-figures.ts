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

/**
 * Normalized discounted cumulative gain of the first k results (Jaervelin and Kekaelaeinen 2002), with the gain
 * 2^grade - 1 (Burges et al. 2005), so that records of grade 1 count the same.
 * @param grades of records, at least one of them above 0
 * @returns 0 to 1
 */
export function ndcgOf(found: readonly string[], grades: ReadonlyMap<string, number>, k: number): number {
  const best = [...grades.values()].sort((one, other) => other - one);
  return gainOf(found.slice(0, k).map((id) => grades.get(id) ?? 0)) / gainOf(best.slice(0, k));
}

/** Of grades in the order of a ranking. */
function gainOf(grades: readonly number[]): number {
  return grades.reduce((sum, grade, rank) => sum + (2 ** grade - 1) / Math.log2(rank + 2), 0);
}

/** One divided by the rank of the first relevant record; 0 where none was found. */
export function reciprocalRankOf(found: readonly string[], relevant: ReadonlySet<string>): number {
  return 1 / (found.findIndex((id) => relevant.has(id)) + 1 || Infinity);
}

/** Null for no numbers. */
export function meanOf(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}
