// The recall of searches against the exact results.
import type { Match } from './record-access.ts';

/** So much that every engine scans: its results are exact. */
export const EXACT_EFFORT = 1e6;

/** The share of the exact results that was found, 0 to 1; records as near as the last of them count. */
export function recallAgainst(
  exact: readonly Pick<Match, 'id' | 'score'>[],
  found: readonly Pick<Match, 'id' | 'score'>[],
): number {
  if (exact.length === 0) return 1;
  const ids = new Set(exact.map(({ id }) => id));
  const last = exact.at(-1)?.score;
  return found.filter(({ id, score }) => ids.has(id) || score === last).length / exact.length;
}
