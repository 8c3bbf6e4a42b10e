// Counting long texts: near the count of the whole, with turns for others, and no longer than anybody wants to know.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '../../platform/testing/turns.ts';
import { tokenCounter, tokensOfAll } from './token-counter.ts';

test('yields to other work while counting a long text, and miscounts only words that are cut', async () => {
  const count = tokenCounter(async () => (text) => text.split(' ').length);
  const text = Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ');
  const turns = countTurns();
  const tokens = await count(text);
  turns.stop();
  const slices = Math.ceil(text.length / 4_096);
  assert.ok(tokens >= 5_000 && tokens <= 5_000 + slices, String(tokens));
  assert.ok(turns.count >= slices - 1);
  assert.equal(await count('two words'), 2);
});

test('stops counting beyond the maximum that callers need', async () => {
  let counted = 0;
  const count = tokenCounter(async () => (text) => {
    counted += text.length;
    return text.length;
  });
  assert.ok((await tokensOfAll(['x'.repeat(10_000), 'y'.repeat(1_000_000), 'z'], count, 20_000)) > 20_000);
  assert.ok(counted < 30_000);
  assert.equal(await tokensOfAll(['a', 'bc'], count), 3);
});
