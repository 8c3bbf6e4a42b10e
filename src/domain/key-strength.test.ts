// Guarantees of the estimate of keys: random ones of 128 bits pass in any encoding, chosen ones do not.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { keyBits } from './key-strength.ts';

/** Random-looking bytes, the same in each run. */
const bytesOf = (seed: number, length: number) =>
  createHash('sha256').update(`key ${seed}`).digest().subarray(0, length);

test('estimates keys of 16 random bytes at 128 bits or more, in hexadecimal, base64 and with a prefix', () => {
  for (let seed = 0; seed < 200; seed++) {
    const bytes = bytesOf(seed, 16);
    assert.ok(keyBits(bytes.toString('hex')) >= 128, bytes.toString('hex'));
    assert.ok(keyBits(`pcsk_${bytes.toString('base64url')}`) >= 128, bytes.toString('base64url'));
  }
});

test('estimates words, short keys, rows of characters and repetitions below 128 bits', () => {
  const weak = [
    'password',
    'pclocal',
    'pcsk_test',
    'changeme123',
    'a'.repeat(500),
    '0123456789abcdefghijklmnopqrstuvwxyz',
  ];
  for (const key of [...weak, 'pinyon-api-key-1', bytesOf(1, 8).toString('hex')]) {
    assert.ok(keyBits(key) < 128, `${key}: ${keyBits(key)}`);
  }
});
