// Guarantees of regular expressions: they match what JavaScript's do on whole terms, and cost a bounded amount.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../faults.ts';
import { accepts } from './automaton.ts';
import { regexAutomaton } from './regex.ts';
import { RegexError } from './regex-syntax.ts';

const LETTERS = ['a', 'b', 'c', 'é', '𐐨'];

/** Patterns that mean the same in JavaScript. */
const pattern: fc.Arbitrary<string> = fc.letrec<{ readonly node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...LETTERS, '.', '[ab]', '[^a]', '[a-cé]', '\\d', '\\p{L}', '\\x61', '\\u0062', '\\.'),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => a + b),
    fc.tuple(tie('node'), tie('node')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}'))
      .map(([a, many]) => `(${a})${many}`),
  ),
})).node;

describe('a regular expression', () => {
  it('matches what it matches in JavaScript, as a whole', () => {
    const term = fc.string({ unit: fc.constantFrom(...LETTERS, '1', '.'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, fc.array(term, { maxLength: 8 }), (each, terms) => {
        const automaton = regexAutomaton(each);
        const expected = new RegExp(`^(?:${each})$`, 'u');
        for (const text of terms)
          assert.equal(accepts(automaton, text), expected.test(text), `${each} on ${text}`);
      }),
      { seed: 5, numRuns: 1_500 },
    );
  });

  const CASES: readonly (readonly [string, string, boolean])[] = [
    ['', '', true],
    ['', 'a', false],
    ['a|', '', true],
    ['(?i)STRASSE', 'strasse', true],
    ['(?i:A)B', 'ab', false],
    ['(?i)[^a]pple', 'apple', false],
    ['(?i)[^a]pple', 'Bpple', true],
    ['(?i)[^a-z]+', 'abc', false],
    ['(?i)[^[:upper:]]', 'a', false],
    ['(?i)\\P{Lu}', 'a', false],
    ['(?i)S', 'ß', false],
    ['(?P<name>a)b', 'ab', true],
    ['[[:digit:]_]+', '4_2', true],
    ['[^[:alpha:]]', 'a', false],
    ['\\PL', '1', true],
    ['\\p{Greek}', 'α', true],
    ['\\p{Script=Greek}', 'α', true],
    ['[]a]', ']', true],
    ['[a-]', '-', true],
    ['a{3}', 'aaa', true],
    ['a{3}', 'aa', false],
    ['\\w+', 'naïve_1', true],
    ['\\W', 'a', false],
    ['.', '𐐨', true],
    ['~"/#&', '~"/#&', true],
  ];
  for (const [each, term, expected] of CASES) {
    it(`${each || 'of nothing'} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(term)}`, () => {
      assert.equal(accepts(regexAutomaton(each), term), expected);
    });
  }

  const REFUSED: readonly (readonly [string, number, RegExp])[] = [
    ['^a', 0, /anchors/],
    ['a$', 1, /anchors/],
    ['\\ba', 0, /boundaries/],
    ['(a)\\1', 3, /references/],
    ['a(?=b)', 1, /lookaround/],
    ['(?<!a)b', 0, /lookaround/],
    ['a*?', 2, /lazy/],
    ['*a', 0, /nothing to repeat/],
    ['a|*', 2, /nothing to repeat/],
    ['[b-a]', 1, /range/],
    ['[a', 0, /unclosed class/],
    ['[a&&b]', 2, /operations on classes/],
    ['a)', 1, /unmatched/],
    ['(a', 0, /unmatched/],
    ['a{2', 1, /repetition/],
    ['a{3,2}', 1, /repetition/],
    ['a{1001}', 1, /repetition/],
    ['\\p{Nothing}', 0, /property/],
    ['\\q', 0, /unknown escape/],
    ['a\\', 1, /nothing to escape/],
    ['\\x{110000}', 0, /no such character/],
    ['(a{1000}){1000}', 0, /too large/],
    ['(){1000}(){1000}(){1000}(){1000}(){1000}', 0, /too large/],
    ['('.repeat(65), 64, /nested/],
  ];
  for (const [each, at, reason] of REFUSED) {
    it(`is refused as ${each.slice(0, 30)}`, () => {
      assert.throws(
        () => regexAutomaton(each),
        (error) => error instanceof RegexError && error.at === at && reason.test(error.message),
      );
    });
  }

  it('refuses a pattern once it costs too much, however many terms there are', () => {
    const automaton = regexAutomaton('[ab]*a[ab]{0,900}c');
    const letter = (at: number): string => (Math.sin(at) > 0 ? 'a' : 'b');
    assert.throws(() => {
      for (let at = 0; at < 1_000; at++) {
        accepts(automaton, Array.from({ length: 500 }, (_, each) => letter(each + at ** 2)).join(''));
      }
    }, Fault);
  });

  it('counts alternatives that match nothing, and tests a set of many characters once for all its copies', () => {
    const empties = `(${'|'.repeat(5_000)}a){100}`;
    assert.throws(
      () => regexAutomaton(empties),
      (error) => error instanceof RegexError && /too large/.test(error.message),
    );
    const wide = regexAutomaton(`([${'b'.repeat(5_000)}a]?){500}`);
    assert.throws(() => {
      for (let at = 0; at < 1_000; at++) accepts(wide, `a${String.fromCodePoint(0x4e00 + at)}`);
    }, Fault);
  });

  it('reads a long term once, where backtracking would not end', () => {
    const automaton = regexAutomaton('(a*)*(a|aa)*(a?){50}b');
    assert.equal(accepts(automaton, 'a'.repeat(5_000)), false);
    assert.equal(accepts(automaton, `${'a'.repeat(5_000)}b`), true);
  });
});
