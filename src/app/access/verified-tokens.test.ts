// The cache of verified tokens accepts nothing that would be refused without it, and stays small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claims, TokenKind } from './token-signer.ts';
import { rememberVerified } from './verified-tokens.ts';

function makeSigner() {
  const asked: string[] = [];
  let now = 0;
  const signer = {
    sign: () => assert.fail(),
    verify: async (kind: TokenKind, token: string): Promise<Claims | undefined> => {
      asked.push(`${kind} ${token}`);
      return token.startsWith('good') ? { sub: token, exp: 60 } : undefined;
    },
  };
  const remembering = rememberVerified(signer, () => now);
  return {
    verify: remembering.verify,
    asked,
    at: (milliseconds: number) => {
      now = milliseconds;
    },
  };
}

test('verifies a valid token once, and refuses it after its expiry', async () => {
  const { verify, asked, at } = makeSigner();
  for (let time = 0; time < 60_000; time += 20_000) {
    at(time);
    assert.equal((await verify('at+jwt', 'good'))?.sub, 'good');
  }
  assert.equal(asked.length, 1);
  at(60_000);
  assert.equal(await verify('at+jwt', 'good'), undefined);
});

test('caches a token under its type only, and never an invalid one', async () => {
  const { verify, asked } = makeSigner();
  await verify('at+jwt', 'good');
  await verify('session+jwt', 'good');
  for (const _ of [1, 2]) assert.equal(await verify('at+jwt', 'bad'), undefined);
  assert.deepEqual(asked, ['at+jwt good', 'session+jwt good', 'at+jwt bad', 'at+jwt bad']);
});

test('caches the newest thousand tokens', async () => {
  const { verify, asked } = makeSigner();
  for (let each = 0; each < 1_500; each += 1) await verify('at+jwt', `good ${each}`);
  asked.length = 0;
  for (let each = 500; each < 1_500; each += 1) await verify('at+jwt', `good ${each}`);
  assert.deepEqual(asked, []);
  await verify('at+jwt', 'good 0');
  assert.equal(asked.length, 1);
});
