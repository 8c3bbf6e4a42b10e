// The cache of verified tokens accepts nothing that would be refused without it, and stays small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claims, TokenKind } from './token-signer.ts';
import { rememberVerified } from './verified-tokens.ts';

function makeSigner() {
  const verified: string[] = [];
  let now = 0;
  const signer = {
    sign: () => assert.fail(),
    verify: async (kind: TokenKind, token: string): Promise<Claims | undefined> => {
      verified.push(`${kind} ${token}`);
      return token.startsWith('good') ? { sub: token, exp: 60 } : undefined;
    },
  };
  const remembering = rememberVerified(signer, () => now);
  return {
    verify: remembering.verify,
    verified,
    at: (milliseconds: number) => {
      now = milliseconds;
    },
  };
}

test('verifies a valid token once, and refuses it after its expiry', async () => {
  const { verify, verified, at } = makeSigner();
  for (let time = 0; time < 60_000; time += 20_000) {
    at(time);
    assert.equal((await verify('at+jwt', 'good'))?.sub, 'good');
  }
  assert.equal(verified.length, 1);
  at(60_000);
  assert.equal(await verify('at+jwt', 'good'), undefined);
});

test('caches a token under its type only, and never an invalid one', async () => {
  const { verify, verified } = makeSigner();
  await verify('at+jwt', 'good');
  await verify('session+jwt', 'good');
  for (const _ of [1, 2]) assert.equal(await verify('at+jwt', 'bad'), undefined);
  assert.deepEqual(verified, ['at+jwt good', 'session+jwt good', 'at+jwt bad', 'at+jwt bad']);
});

test('caches the newest thousand tokens', async () => {
  const { verify, verified } = makeSigner();
  for (let each = 0; each < 1_500; each += 1) await verify('at+jwt', `good ${each}`);
  verified.length = 0;
  for (let each = 500; each < 1_500; each += 1) await verify('at+jwt', `good ${each}`);
  assert.deepEqual(verified, []);
  await verify('at+jwt', 'good 0');
  assert.equal(verified.length, 1);
});
