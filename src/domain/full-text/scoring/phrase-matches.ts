// Counts the occurrences of a phrase in a field.

/**
 * Counts the occurrences of a phrase, given for each of its terms the ascending positions in the field minus the position
 * in the phrase. The rarest term of the namespace comes first, at equal numbers of records the one earlier in the phrase.
 *
 * An occurrence takes one position of each list, no two of which are more than `slop` apart. The lists are merged: each
 * step counts the foremost positions and consumes them, or drops the smallest of them. Before it counts, it exchanges the
 * position of the rarest term for its last one that is not behind the others. For two terms this is what tantivy counts.
 */
export function countPhrases(lists: readonly (readonly number[])[], slop: number): number {
  let count = 0;
  forEachPhrase(lists, slop, () => count++);
  return count;
}

/** Calls `visit` with the positions of each occurrence that `countPhrases` counts, one of each list. */
export function forEachPhrase(
  lists: readonly (readonly number[])[],
  slop: number,
  visit: (positions: readonly number[]) => void,
): void {
  const cursors = lists.map(() => 0);
  for (;;) {
    const heads = headsOf(lists, cursors);
    if (heads === null) return;
    const low = Math.min(...heads);
    const high = Math.max(...heads);
    if (high - low > slop) {
      advance(cursors, heads.indexOf(low));
    } else {
      if (slop > 0) cursors[0] = lastUpTo(lists[0] ?? [], cursors[0] ?? 0, Math.max(...heads.slice(1)));
      visit(slop > 0 ? (headsOf(lists, cursors) ?? heads) : heads);
      for (let at = 0; at < cursors.length; at++) advance(cursors, at);
    }
  }
}

function headsOf(
  lists: readonly (readonly number[])[],
  cursors: readonly number[],
): readonly number[] | null {
  const heads: number[] = [];
  for (const [at, list] of lists.entries()) {
    const head = list[cursors[at] ?? 0];
    if (head === undefined) return null;
    heads.push(head);
  }
  return heads;
}

function advance(cursors: number[], at: number): void {
  cursors[at] = (cursors[at] ?? 0) + 1;
}

/** The last index from `start` on whose position is at most `bound`; `start` itself if there is none. */
function lastUpTo(positions: readonly number[], start: number, bound: number): number {
  let at = start;
  while ((positions[at + 1] ?? Infinity) <= bound) at++;
  return at;
}
