// Guarantees of the log of slow requests: they are told with their times and what the search did, and nothing secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { levels } from 'pino';
import { QueryExplain } from '../domain/query-explain.ts';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';

const HEADERS = { 'api-key': KEY_A };

async function logOf(slowRequestMs: number, requests: number) {
  const { server, indexBase, executor, logLines } = await startTestServer({
    settings: { drainSeconds: 1, slowRequestMs },
  });
  executor.answer = async ({ explainFromMs = Number.POSITIVE_INFINITY }) => {
    await pause(2);
    const explanation = explainFromMs <= 1 ? new QueryExplain().finish() : null;
    return { status: 200, headers: {}, body: '{}', work: [1, 0.99, null, null, explanation] };
  };
  const body = '{"filter":{"HUSH":1}}';
  // At the same time, so that they take less than a second on a busy machine, too.
  const ask = () => fetch(`${indexBase}/query`, { method: 'POST', headers: HEADERS, body });
  await Promise.all(Array.from({ length: requests }, ask));
  await server.stop();
  return logLines.map((line) => JSON.parse(line));
}

test('logs a slow request with its times and what the search did, and nothing of its body', async () => {
  const lines = await logOf(1, 1);
  const slow = lines.find(({ msg }) => msg === 'slow request');
  assert.equal(slow.level, levels.values.warn);
  assert.equal(slow.operation, 'query');
  assert.equal(slow.index, 'a-index');
  assert.equal(slow.engineMs, 1);
  assert.ok(slow.totalMs >= 1 && slow.queueMs >= 0);
  assert.equal(slow.explain.structure, 'none');
  assert.equal(slow.requestId, lines.find(({ msg }) => msg === 'request').requestId);
  assert.ok(!JSON.stringify(lines).includes('HUSH'));
});

test('logs no request as slow that is not, or when the setting is 0', async () => {
  for (const slowRequestMs of [3_600_000, 0]) {
    const lines = await logOf(slowRequestMs, 1);
    assert.deepEqual(
      lines.map(({ msg, engineMs }) => [msg, engineMs]),
      [['request', 1]],
    );
  }
});

test('bounds the lines of slow requests in a second', async () => {
  const lines = await logOf(1, 60);
  const slow = lines.filter(({ msg }) => msg === 'slow request').length;
  // Each second that they take has ten lines.
  assert.ok(slow >= 1 && slow < 60, String(slow));
});
