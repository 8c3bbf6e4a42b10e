// Guessing keys, tokens and secrets backs off, over every way in, and locks nobody out.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exchangeToken } from '../../api/rest/identity/exchange-token.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

const BURST = 20;
const TRIES = 60;

describe('guessing credentials', () => {
  let server: Awaited<ReturnType<typeof startTestServer>>;
  before(async () => {
    server = await startTestServer({
      wrongCredentialsMax: BURST,
      identity: [exchangeToken],
      // Each second would allow one more.
      now: () => 0,
    });
  });
  after(() => server.server.stop());

  it('answers 429 with retry-after once an address has tried too many, but never to a right key', async () => {
    const { base, indexBase, denials } = server;
    const tries = [
      (i: number) => fetch(`${base}/things`, { headers: { 'api-key': `guess-${i}` } }),
      (i: number) => fetch(`${indexBase}/vectors/fetch?ids=a`, { headers: { 'api-key': `guess-${i}` } }),
      (i: number) => fetch(`${base}/admin/projects`, { headers: { authorization: `Bearer guess.${i}` } }),
      (i: number) =>
        fetch(`${base}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: 'client',
            client_secret: `guess-${i}`,
            audience: 'https://api.pinecone.io/',
          }),
        }),
    ];
    const statuses: number[] = [];
    for (let i = 0; i < TRIES; i++) {
      const answer = await tries[i % tries.length]?.(i);
      statuses.push(answer?.status ?? 0);
      if (answer?.status === 429) assert.ok(Number(answer.headers.get('retry-after')) >= 1);
      await answer?.arrayBuffer();
    }
    const refused = statuses.filter((status) => status === 401).length;
    assert.equal(refused, BURST);
    assert.equal(statuses.filter((status) => status === 429).length, TRIES - refused);
    assert.equal((await fetch(`${base}/things`, { headers: { 'api-key': KEY_A } })).status, 200);
    assert.equal((await fetch(`${base}/things`)).status, 401, 'a missing key is no guess');
    const reasons = new Set(denials.map(({ details }) => details?.reason));
    assert.ok(reasons.has('unauthenticated') && reasons.has('too-many-attempts'));
  });
});
