// Levenshtein automata: all terms within a number of insertions, deletions and substitutions; a swap counts as two edits.
import { type Automaton, lazyAutomaton } from './automaton.ts';

/** Stands for every character that is not in the term. */
const OTHER = -1;

/**
 * The automaton of the terms within `editsMax` edits of `term`, by characters (code points). Its states are the rows of
 * the dynamic program of Wagner and Fischer (1974), with all distances above `editsMax` made equal.
 */
export function levenshteinAutomaton(term: string, editsMax: number): Automaton {
  const characters = [...term].map((character) => character.codePointAt(0) ?? 0);
  const symbols = new Set(characters);
  const tooFar = editsMax + 1;
  const start = [0, ...characters.map((_, at) => Math.min(at + 1, tooFar))];
  return lazyAutomaton<readonly number[]>({
    start,
    next: (row, symbol) => {
      const next = nextRow(
        row,
        characters.map((each) => each === symbol),
        tooFar,
      );
      return next.some((distance) => distance <= editsMax) ? next : null;
    },
    isMatch: (row) => (row.at(-1) ?? tooFar) <= editsMax,
    keyOf: (row) => row.join(),
    symbolOf: (codePoint) => (symbols.has(codePoint) ? codePoint : OTHER),
  });
}

/** The distances of the term's prefixes to a text, from those to the text without its last character. */
function nextRow(row: readonly number[], equals: readonly boolean[], tooFar: number): readonly number[] {
  let left = Math.min((row[0] ?? tooFar) + 1, tooFar);
  const next = [left];
  for (const [at, isEqual] of equals.entries()) {
    const substituted = (row[at] ?? tooFar) + (isEqual ? 0 : 1);
    const inserted = (row[at + 1] ?? tooFar) + 1;
    left = Math.min(substituted, inserted, left + 1, tooFar);
    next.push(left);
  }
  return next;
}
