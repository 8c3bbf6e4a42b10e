// Guarantees of fuzzy words: their automaton agrees with the textbook's distance.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { accepts } from './automaton.ts';
import { levenshteinAutomaton } from './levenshtein.ts';

/** Wagner and Fischer (1974), over code points. */
function distance(a: string, b: string): number {
  const right = [...b];
  let row = [0, ...right.map((_, at) => at + 1)];
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, each] of right.entries()) {
      const substituted = (row[j] ?? 0) + (left === each ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('the Levenshtein automaton', () => {
  it('accepts exactly the terms within its edits', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𐐨'), maxLength: 7 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 2 }), (term, other, editsMax) => {
        assert.equal(accepts(levenshteinAutomaton(term, editsMax), other), distance(term, other) <= editsMax);
      }),
      { seed: 4, numRuns: 5_000 },
    );
  });

  it('counts a swap as two edits, and a surrogate pair as one character', () => {
    assert.equal(accepts(levenshteinAutomaton('form', 1), 'from'), false);
    assert.equal(accepts(levenshteinAutomaton('form', 2), 'from'), true);
    assert.equal(accepts(levenshteinAutomaton('a𐐨', 1), 'a'), true);
  });

  it('gives up where no continuation can match', () => {
    const automaton = levenshteinAutomaton('apple', 1);
    const first = automaton.step(automaton.start, 0x78);
    assert.ok(first !== null);
    assert.equal(automaton.step(first, 0x78), null);
  });
});
