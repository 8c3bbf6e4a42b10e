// Names of several words in questions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compoundsOf, questionFeatures } from './compounds.ts';

test('takes words that signs join as one name, and no number or sentence', () => {
  assert.deepEqual(compoundsOf('What does --null-input do, and BC_LINE_LENGTH?'), [
    ['null', 'input'],
    ['bc', 'line', 'length'],
  ]);
  assert.deepEqual(compoundsOf('Is 1.3 newer than 1.2? Or not. Really?'), []);
});

test('counts a name where its words follow each other, however they are joined', () => {
  const { all, in: featuresIn } = questionFeatures('What does --null-input do?');
  assert.ok(all.has('null input'));
  const places = (text: string) => featuresIn(text).filter((each) => each === 'null input').length;
  assert.deepEqual(
    ['--null-input/-n: or null input', 'the input is null', 'null inputs'].map(places),
    [2, 0, 1],
  );
});

test('reads four names of a question at most, and six words of each', () => {
  const names = compoundsOf(Array.from({ length: 9 }, (_, at) => `a${at}-b-c-d-e-f-g-h`).join(' '));
  assert.deepEqual(
    names.map(({ length }) => length),
    [6, 6, 6, 6],
  );
});
