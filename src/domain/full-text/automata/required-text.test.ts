// The text that a regular expression requires is in each term that it matches.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { accepts } from './automaton.ts';
import { regexAutomaton } from './regex.ts';

const CASES: readonly (readonly [pattern: string, required: string])[] = [
  ['.*graph', 'graph'],
  ['.*graph.*s', 'graph'],
  ['.*(geo)graph(y)', 'geography'],
  ['.*(abc)+d', 'abc'],
  ['.*abc?de', 'ab'],
  ['.*ab{3}cd', 'cd'],
  ['.*(ab|abc)', ''],
  ['.*(?i)abc', ''],
  ['.*(abc)*', ''],
  ['.*[a]b', 'b'],
  ['.*\\.\\x{5b57}', '.字'],
  ['', ''],
];

describe('the required text of a pattern', () => {
  for (const [pattern, required] of CASES)
    it(`is ${JSON.stringify(required)} of ${JSON.stringify(pattern)}`, () => {
      assert.equal(regexAutomaton(pattern).required, required);
    });

  it('is in every term that matches', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', 'ab', '(?i)a');
    const pattern = fc.letrec<{ readonly any: string }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        atom,
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie('any'), fc.constantFrom('*', '+', '?', '{1}', '{2}', '{0,2}'))
          .map(([a, count]) => `(${a})${count}`),
      ),
    })).any;
    const terms = fc.array(fc.array(fc.constantFrom('a', 'b', 'A'), { maxLength: 6 }), { minLength: 20 });
    let matching = 0;
    const property = fc.property(pattern, terms, (each, candidates) => {
      const automaton = regexAutomaton(each);
      for (const term of candidates.map((letters) => letters.join(''))) {
        if (!accepts(automaton, term)) continue;
        if (automaton.required !== '') matching++;
        assert.ok(term.includes(automaton.required), `${term} matches ${each}`);
      }
    });
    fc.assert(property, { seed: 3, numRuns: 1_000 });
    assert.ok(matching > 100, `${matching} terms matched patterns that require a text`);
  });
});
