// Guarantees of the request log: one line per request with its fields, and never a secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';

test('logs each request as one line with its fields', async () => {
  const { server, base, indexBase, logLines } = await startTestServer({ settings: { drainSeconds: 1 } });
  const headers = { 'api-key': KEY_A };
  const described = await fetch(`${base}/things/one`, { headers });
  await fetch(`${indexBase}/query`, { method: 'POST', headers, body: '{}' });
  await fetch(`${base}/nothing`, { headers });
  await fetch(`${base}/things`);
  await server.stop();
  const lines = logLines.map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ method, route, status, principal, index }) => [method, route, status, principal, index]),
    [
      ['GET', '/things/:name', 200, 'key-a', undefined],
      ['POST', '/query', 200, 'key-a', 'a-index'],
      ['GET', null, 404, 'key-a', undefined],
      ['GET', '/things', 401, undefined, undefined],
    ],
  );
  assert.deepEqual(
    lines.map(({ refusal }) => refusal),
    [undefined, undefined, 'path-not-found', 'unauthenticated'],
  );
  assert.ok(lines.every(({ address }) => address === '127.0.0.1' || address === '::1'));
  assert.equal(lines[1].bytesIn, 2);
  assert.ok(lines[0].bytesOut > 0);
  assert.equal(lines[0].requestId, described.headers.get('x-request-id'));
  assert.ok(lines.every(({ ms }) => typeof ms === 'number'));
});

test('keeps keys, bodies, queries, path parameters and other headers out of the log', async () => {
  const { server, base, indexBase, logLines } = await startTestServer({ settings: { drainSeconds: 1 } });
  const secret = 'HUSH';
  const headers = {
    'api-key': KEY_A,
    'content-type': 'application/json',
    'user-agent': secret,
    cookie: secret,
  };
  for (const body of [`{"a":"${secret}"}`, `{${secret}`]) {
    await fetch(`${base}/things?q=${secret}`, { method: 'POST', headers, body });
    await fetch(`${base}/things/broken?q=${secret}`, { method: 'POST', headers, body });
    await fetch(`${indexBase}/query?q=${secret}`, { method: 'POST', headers, body });
  }
  for (const path of [`/things/${secret}`, `/${secret}`, `/%ff${secret}`])
    await fetch(`${base}${path}`, { headers });
  await fetch(`${base}/things`, { headers: { ...headers, 'api-key': `${KEY_A}${secret}` } });
  await fetch(`${base}/things`, { headers: { ...headers, 'x-service-api-version': secret } });
  await server.stop();
  assert.ok(logLines.length >= 11);
  const log = logLines.join('');
  assert.ok(!log.includes(secret), log);
  assert.ok(!log.includes(KEY_A));
});
