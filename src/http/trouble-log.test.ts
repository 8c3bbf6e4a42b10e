// Guarantees of the log of troubles: no cause fills it, and none stays untold.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';
import { logTrouble } from './trouble-log.ts';

test('logs the first lines of each message in a second, and counts the others', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: { readonly msg: string; readonly skipped?: Readonly<Record<string, number>> }[] = [];
  const sink = new Writable({
    write: (line, _, done) => {
      lines.push(JSON.parse(String(line)));
      done();
    },
  });
  const logger = pino({ level: 'info', base: null }, sink);
  for (let i = 0; i < 1_000; i++) logTrouble(logger, 'error', { err: new Error('disk') }, 'request failed');
  logTrouble(logger, 'warn', {}, 'connection refused');
  const count = (msg: string) => lines.filter((line) => line.msg === msg).length;
  assert.deepEqual([count('request failed'), count('connection refused')], [10, 1]);
  context.mock.timers.tick(1_000);
  assert.deepEqual(lines.at(-1)?.skipped, { 'request failed': 990 });
  logTrouble(logger, 'error', {}, 'request failed');
  assert.equal(count('request failed'), 11);
});

test('bounds the lines of failed requests and of refused connections', async (context) => {
  const { server, indexBase, port, executor, logLines } = await startTestServer({
    settings: { drainSeconds: 1, connectionsMax: 4 },
  });
  context.after(() => server.stop());
  executor.answer = () => Promise.reject(new Error('a thread died'));
  for (let i = 0; i < 60; i++)
    await fetch(`${indexBase}/query`, { method: 'POST', headers: { 'api-key': KEY_A }, body: '{}' });
  const held = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  context.after(() => {
    for (const socket of held) socket.destroy();
  });
  for (let i = 0; i < 60; i++) {
    const refused = connect(port, '127.0.0.1');
    refused.on('error', () => undefined);
    await once(refused, 'close');
  }
  const count = (msg: string) => logLines.filter((line) => JSON.parse(line).msg === msg).length;
  for (const message of ['request failed', 'connection refused: too many connections']) {
    // Sixty may take some seconds on a busy machine, each with ten lines.
    assert.ok(count(message) >= 1 && count(message) < 60, `${message}: ${count(message)}`);
  }
});
