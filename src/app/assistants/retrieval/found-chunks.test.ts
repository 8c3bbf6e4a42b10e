// What the terms of a question weigh, by what was found for them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bridgesOf } from '../terms/particles.ts';
import { FoundChunks } from './found-chunks.ts';

test('weighs a term that no text has most, and nothing if it only joins two words of a script without spaces', () => {
  const found = new FoundChunks();
  found.addTerm('密钥', [{ id: 'a', score: 2 }]);
  found.addTerm('推荐', []);
  found.addTerm('荐使', []);
  const bridges = bridgesOf('推荐使用多少位的密钥？');
  assert.deepEqual([...bridges], ['荐使']);
  const weights = found.weights(() => '密钥', bridges);
  assert.equal(weights.get('荐使'), 0);
  assert.ok((weights.get('推荐') ?? 0) > (weights.get('密钥') ?? 0));
});

test('finds no such pairs in scripts with spaces, or in words that the dictionary does not know', () => {
  assert.deepEqual([...bridgesOf('Where is the key kept?')], []);
  assert.deepEqual([...bridgesOf('密钥')], []);
  assert.deepEqual([...bridgesOf('推荐推荐')], ['荐推']);
});
