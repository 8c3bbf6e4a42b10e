// Which words tell what a text is about, and when two of them are one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentWords, shareContained } from './content-words.ts';

test('forms of one word are equal', () => {
  for (const forms of [
    'close closes closed closing',
    'carry carries carried',
    'key keys',
    'refund refunds refunded',
  ]) {
    assert.equal(contentWords(forms).size, 1, forms);
  }
});

test('words that every text has tell nothing', () => {
  assert.deepEqual([...contentWords('What is it, and why do they have it?')], []);
});

test('scripts without blanks are divided into words', () => {
  assert.ok(contentWords('東京は日本の首都です').size > 2);
  assert.ok(shareContained(contentWords('日本の首都'), contentWords('東京は日本の首都です')) > 0.9);
});

test('the share held is 1 when nothing is asked for', () => {
  assert.equal(shareContained(new Set(), new Set()), 1);
  assert.equal(shareContained(new Set(['a', 'b']), new Set(['b'])), 0.5);
});
