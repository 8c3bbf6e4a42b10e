// Guarantees of the bounds of HTTP/2 connections: whatever a client leaves unread, its connection ends.
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { until } from '../../platform/testing/until.ts';
import { http2Get, http2Ping } from '../testing/raw-client.ts';
import { selfSigned } from '../testing/self-signed.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

/** A busy machine reads a request later than it accepts its connection, but within the time of an idle one. */
const SHORT_TIMES = { requestSeconds: 0.3, keepAliveSeconds: 2, drainSeconds: 1 };
/** More than the kernel takes for a client that reads nothing. */
const ANSWER_BYTES = 32 * 1024 * 1024;

const CONNECTS: Readonly<Record<string, (port: number, ca: string) => Socket>> = {
  'without TLS': (port) => connect(port, '127.0.0.1'),
  'over TLS': (port, ca) => connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] }),
};

for (const [how, open] of Object.entries(CONNECTS))
  test(`ends the connection of a client that has stopped reading, ${how}`, async (context) => {
    const tls = selfSigned();
    const { server, executor, indexPort, logLines } = await startTestServer({
      settings: SHORT_TIMES,
      ...(how === 'over TLS' && { tls }),
    });
    context.after(() => server.stop());
    executor.answer = async () => ({ status: 200, headers: {}, body: 'x'.repeat(ANSWER_BYTES) });
    const socket = open(indexPort, tls.cert);
    context.after(() => socket.destroy());
    let isOver = false;
    socket.on('error', () => {
      isOver = true;
    });
    socket.pause();
    socket.write(http2Get('/vectors/fetch', { 'api-key': KEY_A }));
    await until(() => executor.calls.length === 1, 'the request');
    // Who does not read learns of the end by what it writes.
    await until(() => {
      if (!isOver) socket.write(http2Ping());
      return isOver;
    }, 'the end of the connection');
    await until(() => logLines.some((line) => /fetch.*"cutOff":true/.test(line)), 'the line in the log');
  });
