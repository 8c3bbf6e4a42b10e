// Guarantees of the hash against published values and a literal implementation of its definition.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ANY_CHARACTER } from '../../domain/testing/any-character.ts';
import { murmur } from './murmur.ts';

test('gives words the indices of the hosted English sparse model', () => {
  const indices = {
    ...{ aapl: 1640781426, q3: 3517203014, revenue: 1221765879, a: 1009084850 },
    ...{ its: 1807131503, the: 3162218338, conditions: 2295025838 },
  };
  for (const [word, index] of Object.entries(indices)) assert.equal(murmur(word), index, word);
});

test('matches the published check values of MurmurHash3 x86 32', () => {
  assert.equal(murmur(''), 0);
  assert.equal(murmur('', 1), 0x514e28b7);
  assert.equal(murmur('', 0xffffffff), 0x81f16f39);
  assert.equal(murmur('aaaa', 0x9747b28c), 0x5a97808a);
  assert.equal(murmur('abc', 0x9747b28c), 0xc84a62dd);
  assert.equal(murmur('Hello, world!', 0x9747b28c), 0x24884cba);
  assert.equal(murmur('ππππππππ', 0x9747b28c), 0xd58063c1);
});

test('hashes any text as the definition hashes its UTF-8 bytes', () => {
  const anyText = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, maxLength: 40 }),
    fc.string({ minLength: 500, maxLength: 530 }),
  );
  fc.assert(
    fc.property(anyText, fc.nat(2 ** 31 - 1), (text, seed) => {
      assert.equal(murmur(text, seed), byDefinition(new TextEncoder().encode(text), seed));
    }),
    { seed: 11, numRuns: 200 },
  );
});

/** In 64-bit integers, byte by byte, as the algorithm is described. */
function byDefinition(bytes: Uint8Array, seed: number): number {
  const rotate = (x: bigint, by: bigint) => BigInt.asUintN(32, (x << by) | (x >> (32n - by)));
  const times = (x: bigint, y: bigint) => BigInt.asUintN(32, x * y);
  let hash = BigInt(seed);
  for (let at = 0; at < bytes.length; at += 4) {
    const part = [...bytes.subarray(at, at + 4)];
    const word = part.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    hash ^= times(rotate(times(word, 0xcc9e2d51n), 15n), 0x1b873593n);
    if (part.length === 4) hash = BigInt.asUintN(32, rotate(hash, 13n) * 5n + 0xe6546b64n);
  }
  hash ^= BigInt(bytes.length);
  hash = times(hash ^ (hash >> 16n), 0x85ebca6bn);
  hash = times(hash ^ (hash >> 13n), 0xc2b2ae35n);
  return Number(hash ^ (hash >> 16n));
}
