// Gives the results of a search by estimates the keys of their rows' codes: no more of them than may be among the best.
import type { GraphKernel, GraphResults, ResultKeying } from '../kernels/graph-interface.ts';
import type { CodePlaces, CodePrefetch } from './code-prefetch.ts';
import { entriesAt } from './heap-entries.ts';
import type { Workspace } from './workspace.ts';

/** Rows to compare first, at least; from then on, as many as there have been. */
const FIRST_ROWS_MIN = 16;

/** What of a selection is needed. */
export interface RefinedSelection {
  readonly workspace: Pick<Workspace, 'arena'> & {
    readonly kernel: { readonly graph: Pick<GraphKernel, 'keyResults' | 'sortResults'> };
  };
  readonly view: CodePlaces['view'];
}

export interface Refining {
  /** Keys are about the most that is possible, best first (see `GraphKernel.search`). */
  readonly results: Pick<GraphResults, 'entries' | 'count'>;
  /** What `keyResults` needs besides. */
  readonly keying: Omit<ResultKeying, 'results'>;
  /** How many of the best are wanted. */
  readonly wanted: number;
  /**
   * Beyond these, no row is read whose estimate does not reach this; -Infinity for none. A score of a row, which the key by
   * codes may miss by their rounding: far less than an estimate leaves room for.
   */
  readonly least: number;
  readonly prefetch: Pick<CodePrefetch, 'run'>;
}

/**
 * Gives the first of the results, in batches, the keys of their rows and sorts them, best first, until the next cannot
 * be among the `wanted` best, or of use: a row is read only if its estimate leaves it a chance.
 * @returns how many have these keys; those behind are no results
 */
export function refineResults(
  selection: RefinedSelection,
  { results, keying, wanted, least, prefetch }: Refining,
): number {
  const { graph } = selection.workspace.kernel;
  const { entries, count } = results;
  const { keys } = entriesAt(selection.workspace, entries, count);
  let refined = 0;
  for (let bound = -Infinity; refined < count; bound = Math.max(least, keys[2 * (wanted - 1)] ?? -Infinity)) {
    const from = refined;
    const end = Math.min(count, from + Math.max(from, wanted, FIRST_ROWS_MIN));
    while (refined < end && (keys[2 * refined] ?? 0) >= bound) refined++;
    if (refined === from) break;
    const batch = { entries: entries + 8 * from, count: refined - from };
    prefetch.run(selection, batch, () => graph.keyResults({ ...keying, results: batch }));
    graph.sortResults({ entries, count: refined });
  }
  return refined;
}
