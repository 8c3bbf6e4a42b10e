// Content words and their stems.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentWords, shareContained } from './content-words.ts';

test('maps forms of a word to one stem', () => {
  for (const forms of [
    'close closes closed closing',
    'carry carries carried',
    'key keys',
    'refund refunds refunded',
  ]) {
    assert.equal(contentWords(forms).size, 1, forms);
  }
});

test('ignores stop words', () => {
  assert.deepEqual([...contentWords('What is it, and why do they have it?')], []);
});

test('divides scripts without blanks into words', () => {
  assert.ok(contentWords('東京は日本の首都です').size > 2);
  assert.ok(shareContained(contentWords('日本の首都'), contentWords('東京は日本の首都です')) > 0.9);
});

test('returns a share of 1 when no words are requested', () => {
  assert.equal(shareContained(new Set(), new Set()), 1);
  assert.equal(shareContained(new Set(['a', 'b']), new Set(['b'])), 0.5);
});
