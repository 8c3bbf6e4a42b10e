// How well a layout keeps neighborhoods: trustworthiness (Venna and Kaski, 2001), as scikit-learn defines it.

export interface Layout {
  /** Unit vectors. */
  readonly rows: readonly Float32Array[];
  /** x and y of each row. */
  readonly positions: Float32Array;
}

/**
 * 1 where the k nearest points of each place are among the k nearest by vector; strangers count by their rank.
 * @param anchors how many rows to judge, spread over all of them, each beside all others
 */
export function trustworthiness({ rows, positions }: Layout, k: number, anchors: number): number {
  const count = rows.length;
  const step = count / anchors;
  let penalty = 0;
  for (let anchor = 0; anchor < anchors; anchor++) {
    const own = Math.floor(anchor * step);
    const row = rows[own] ?? new Float32Array();
    const similarities = Float32Array.from(rows, (other, at) => (at === own ? -2 : dot(row, other)));
    for (const neighbor of nearestPlaces(positions, own, k)) {
      const similarity = similarities[neighbor] ?? 0;
      let rank = 1;
      for (const other of similarities) if (other > similarity) rank++;
      penalty += Math.max(0, rank - k);
    }
  }
  return 1 - (2 * penalty) / (anchors * k * (2 * count - 3 * k - 1));
}

function nearestPlaces(positions: Float32Array, own: number, k: number): readonly number[] {
  const [x, y] = [positions[2 * own] ?? 0, positions[2 * own + 1] ?? 0];
  const nearest: { at: number; apart: number }[] = [];
  let bound = Number.POSITIVE_INFINITY;
  for (let at = 0; at < positions.length / 2; at++) {
    const apart = ((positions[2 * at] ?? 0) - x) ** 2 + ((positions[2 * at + 1] ?? 0) - y) ** 2;
    if (at === own || apart >= bound) continue;
    nearest.push({ at, apart });
    if (nearest.length < 2 * k) continue;
    nearest.sort((a, b) => a.apart - b.apart).length = k;
    bound = nearest[k - 1]?.apart ?? bound;
  }
  return nearest
    .sort((a, b) => a.apart - b.apart)
    .slice(0, k)
    .map((each) => each.at);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
