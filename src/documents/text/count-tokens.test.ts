// Tests token counts of ordinary and adversarial texts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBounded } from '../../platform/testing/processor-time.ts';
import { loadTokenCounter } from './count-tokens.ts';

const count = await loadTokenCounter();

test('counts tokens of the o200k encoding', () => {
  assert.equal(count(''), 0);
  assert.equal(count('hello world'), 2);
  assert.equal(count('The quick brown fox jumps over the lazy dog.'), 10);
});

test('counts text that looks like control tokens as plain text', () => {
  assert.ok(count('a <|endoftext|> b <|im_start|> <|endofprompt|>') > 10);
});

test('counts very long runs of characters in linear time', () =>
  assertBounded(() => {
    assert.ok(count('ab'.repeat(100_000)) > 10_000);
    assert.ok(count(' '.repeat(200_000)) > 100);
    assert.ok(count('👩‍🚀'.repeat(20_000)) > 20_000);
  }));
