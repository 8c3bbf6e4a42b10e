// Guarantees of sign-ins at a provider for what browsers carry from a release before.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { it } from 'node:test';
import { untouched } from '../../../platform/testing/untouched.ts';
import { type ProviderSignInParts, ProviderSignInService } from './provider-sign-in-service.ts';
import { type PendingSignIn, seal } from './sealed-sign-in.ts';

const STATE = 'a-state-of-the-round-trip';
const TOKEN = 'the-half-that-the-page-keeps';

it('refuses what was begun to connect an identity before an update, rather than sign in with it', async () => {
  const secrets = [{ id: 'key', bytes: new Uint8Array(32).fill(7) }];
  const parts = { secrets, now: Date.now };
  const trip = { state: STATE, nonce: 'n', verifier: 'v', returnTo: '#/' };
  const pending = { ...trip, tokenSha256: hash('sha256', TOKEN, 'hex'), linkUserId: 'somebody' };
  const cookie = await seal(pending as unknown as PendingSignIn, parts);
  const service = new ProviderSignInService({
    ...({} as ProviderSignInParts),
    ...parts,
    // Neither is asked.
    provider: untouched<ProviderSignInParts['provider']>(),
    identities: untouched<ProviderSignInParts['identities']>(),
  });
  const returned = { callback: `state=${STATE}&code=c`, cookie, token: TOKEN, requestId: 'r' };
  await assert.rejects(service.finish(returned), /begun before an update of the server/);
  assert.equal(service.counts.refused, 1);
});
