// Guarantees against bodies of unauthenticated callers: they are small, and share a budget of their own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { logIn } from '../../api/rest/identity/log-in.ts';
import { until } from '../../platform/testing/until.ts';
import { openRaw } from '../testing/raw-client.ts';
import { KEY_A, startTestServer, type TestServer } from '../testing/start-test-server.ts';

let server: TestServer;
before(async () => {
  server = await startTestServer({ settings: { drainSeconds: 0 }, identity: [logIn] });
});
after(() => server.server.stop());

function post(path: string, body: string): Promise<Response> {
  const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
  return fetch(`${server.base}${path}`, { method: 'POST', headers, body });
}

/** Padded, so that the last bytes of an exhausted budget are not enough. */
const logInNow = () => post('/auth/login', JSON.stringify({ api_key: KEY_A, padding: 'x'.repeat(8_000) }));

test('bounds the body of a login by the length of credentials', async () => {
  assert.equal((await logInNow()).status, 200);
  const answer = await post('/auth/login', JSON.stringify({ api_key: 'x'.repeat(20_000) }));
  assert.equal(answer.status, 413);
  assert.partialDeepStrictEqual(await answer.json(), { code: 'INVALID_ARGUMENT' });
});

test('delays other logins by unfinished ones, but no caller that has a key', async () => {
  const part = 'x'.repeat(16_000);
  const head = `POST /auth/login HTTP/1.1\r\nhost: x\r\ncontent-length: ${part.length + 1}\r\n\r\n`;
  const unfinished = Array.from({ length: 600 }, () => openRaw(server.port, head, part));
  await until(async () => (await logInNow()).status === 429, 'the refusal');
  assert.equal((await post('/things', `"${'x'.repeat(100_000)}"`)).status, 200);
  for (const { socket } of unfinished) socket.destroy();
  await until(async () => (await logInNow()).status === 200, 'the memory');
});
