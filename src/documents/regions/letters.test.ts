// Passages are found in the letters of a page, whatever stands between them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findLetters, lettersOf } from './letters.ts';

const found = (passage: string, text: string, before = '') => {
  const letters = lettersOf(text).text;
  return findLetters(lettersOf(passage).text, letters, lettersOf(before).text).map(({ start, end }) =>
    letters.slice(start, end),
  );
};

test('compares letters and digits alone, in any case, with ligatures and accents of either form', () => {
  assert.deepEqual(found('The efﬁcient café, 1911', 'x THE EFFI-\ncient cafe\u0301 (1911) y'), [
    'theefficientcafe1911',
  ]);
});

test('tells where each letter is from', () => {
  const source = 'a ﬁ-𝒷é';
  const { text, places } = lettersOf(source);
  assert.equal(text, 'afibe');
  assert.deepEqual(places, [0, 2, 2, 4, 6]);
});

test('takes the place that follows the text before the passage', () => {
  const text = 'pump one: 5 bar. pump two: 5 bar.';
  const letters = lettersOf(text).text;
  const [first] = findLetters('5bar', letters, 'pumpone');
  const [second] = findLetters('5bar', letters, 'pumptwo');
  assert.deepEqual([first?.start, second?.start], [7, 18]);
});

test('finds the runs of a passage that the page interrupts or orders otherwise', () => {
  const text = 'second half of the sentence. page 12 running head first half of the sentence, ';
  assert.deepEqual(found('first half of the sentence, second half of the sentence', text), [
    'firsthalfofthesentence',
    'secondhalfofthesentence',
  ]);
});

test('finds nothing of a passage that is not there, or has no letters', () => {
  assert.deepEqual(found('the heron stands in water', 'a canal with seven locks of granite'), []);
  assert.deepEqual(found('?!', 'a canal'), []);
});

test('gives every cut of a text its own letters', () => {
  const word = fc.stringMatching(/^[a-z]{1,9}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 2, maxLength: 40 }), fc.nat(), fc.nat(), (words, a, b) => {
      const [from, to] = [a % words.length, b % words.length].sort((x, y) => x - y);
      const passage = words.slice(from, (to ?? 0) + 1).join(' ');
      const before = words.slice(0, from).join(' ');
      const [span, ...others] = findLetters(
        lettersOf(passage).text,
        lettersOf(words.join('-')).text,
        lettersOf(before).text,
      );
      assert.deepEqual(others, []);
      assert.equal(words.join('').slice(span?.start, span?.end), lettersOf(passage).text);
    }),
    { seed: 1 },
  );
});
