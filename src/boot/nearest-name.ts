// Finds the name that a misspelled one most likely means.

/** Edits by which names may differ and still be taken for each other, as a share of the longer one. */
const EDITS_SHARE_MAX = 0.25;

/** The name with the fewest edits; null where all differ too much. */
export function nearestName(name: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let editsMin = Number.POSITIVE_INFINITY;
  for (const each of names) {
    const edits = editDistance(name, each);
    if (edits < editsMin && edits <= EDITS_SHARE_MAX * Math.max(name.length, each.length)) {
      nearest = each;
      editsMin = edits;
    }
  }
  return nearest;
}

/** Levenshtein's distance, row by row (Wagner and Fischer 1974). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
