// Guarantees of the log of troubles: no cause fills it, and none stays untold.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { until } from '../platform/testing/until.ts';
import { openRaw } from './testing/raw-client.ts';
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
  const { server, indexPort, port, executor, logLines } = await startTestServer({
    settings: { drainSeconds: 1, connectionsMax: 4 },
  });
  context.after(() => server.stop());
  executor.answer = () => Promise.reject(new Error('a thread died'));
  const query = `POST /query HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-length: 2\r\n\r\n{}`;
  const health = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
  // At the same time, so that sixty take less than a second on a busy machine, too.
  const held = [
    openRaw(indexPort, query.repeat(60)),
    ...Array.from({ length: 3 }, () => openRaw(port, health)),
  ];
  context.after(() => {
    for (const { socket } of held) socket.destroy();
  });
  await Promise.all(held.map(({ socket }) => once(socket, 'data')));
  await until(() => executor.calls.length === 60, 'the requests');
  await Promise.all(Array.from({ length: 60 }, () => openRaw(port).closed));
  const count = (msg: string) => logLines.filter((line) => JSON.parse(line).msg === msg).length;
  for (const message of ['request failed', 'connection refused: too many connections']) {
    // Each second that they take has ten lines.
    assert.ok(count(message) >= 1 && count(message) < 60, `${message}: ${count(message)}`);
  }
});
