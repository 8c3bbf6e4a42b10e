// Hashes of passwords: salted, checked in full, and refused when damaged.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, matchesPassword, nobodyHash, SCRYPT_COST } from './password-hash.ts';

/** What it costs to guess is no matter here. */
const CHEAP = { logN: 4, r: 8, p: 1 };

test('hashes at the cost of the product, which is part of the text', async () => {
  const hash = await hashPassword('pässword of some length', SCRYPT_COST);
  assert.match(hash, /^scrypt\$15\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(await matchesPassword('pässword of some length', hash), true);
});

test('matches the password alone, however its characters are composed', async () => {
  const hash = await hashPassword('pässword of some length', CHEAP);
  assert.equal(await matchesPassword('pa\u0308ssword of some length', hash), true);
  for (const wrong of ['', 'password of some length', 'pässword of some lengt', 'Pässword of some length']) {
    assert.equal(await matchesPassword(wrong, hash), false, wrong);
  }
  assert.equal(await matchesPassword('', nobodyHash(CHEAP)), false);
});

test('salts each hash, and refuses a damaged one', async () => {
  const [one, other] = await Promise.all([hashPassword('the same', CHEAP), hashPassword('the same', CHEAP)]);
  assert.notEqual(one, other);
  for (const damaged of ['', 'scrypt$15$8$3$AAAA$AAAA', `x${one}`]) {
    await assert.rejects(matchesPassword('the same', damaged), /damaged/);
  }
});
