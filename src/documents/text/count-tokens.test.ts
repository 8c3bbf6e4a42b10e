// Token counts of ordinary and of hostile texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { loadTokenCounter } from './count-tokens.ts';

const count = await loadTokenCounter();

test('counts are those of the o200k encoding', () => {
  assert.equal(count(''), 0);
  assert.equal(count('hello world'), 2);
  assert.equal(count('The quick brown fox jumps over the lazy dog.'), 10);
});

test('texts that look like control tokens are counted as text and never refused', () => {
  assert.ok(count('a <|endoftext|> b <|im_start|> <|endofprompt|>') > 10);
});

test('counts runs without end in linear time', () =>
  assertBounded(() => {
    assert.ok(count('ab'.repeat(100_000)) > 10_000);
    assert.ok(count(' '.repeat(200_000)) > 100);
    assert.ok(count('👩‍🚀'.repeat(20_000)) > 20_000);
  }));
