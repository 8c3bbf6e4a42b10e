// Finds the name that a misspelled one most likely means.

/** Edits by which long names may differ and still be taken for each other, as a share of the longer one. */
const EDITS_SHARE_MAX = 0.25;
/** Short names may differ by one edit whatever their share. */
const EDITS_ALWAYS = 1;
/** Names shorter than this resemble too many others. */
const CHARS_MIN = 3;

/** The name with the fewest edits; null where all differ too much. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let editsMin = Number.POSITIVE_INFINITY;
  if (name.length < CHARS_MIN) return null;
  for (const each of names) {
    const edits = editDistance(name, each);
    const most = Math.max(EDITS_ALWAYS, EDITS_SHARE_MAX * Math.max(name.length, each.length));
    if (edits < editsMin && edits <= most) {
      nearest = each;
      editsMin = edits;
    }
  }
  return nearest;
}

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbors (Damerau 1964), row by row. */
function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (one[at] === other[column] ? 0 : 1);
      const isSwap = one[at] === other[column - 1] && one[at - 1] === other[column];
      const swapped = isSwap
        ? (before[column - 1] ?? Number.POSITIVE_INFINITY) + 1
        : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
