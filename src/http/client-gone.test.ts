// What a request holds is released once its client has gone, however early that is.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttp1, request as request1 } from 'node:http';
import { connect, constants, createServer as createHttp2 } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { test } from 'node:test';
import { until } from '../platform/testing/until.ts';
import { clientGoneSignal, isClosed, whenClosed } from './client-gone.ts';
import type { AnyResponse } from './connections/protocol-handlers.ts';

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Checks a response whose client is still there, then leaves. */
async function check(response: AnyResponse, leave: () => void): Promise<void> {
  let released = 0;
  const signal = clientGoneSignal({ raw: response });
  assert.equal(isClosed(response), false);
  whenClosed(response, () => released++);
  leave();
  await until(() => isClosed(response), 'the end of the response');
  assert.equal(released, 1, 'while it was held');
  assert.equal(signal.aborted, true, 'work that was under way');
  assert.equal(clientGoneSignal({ raw: response }).aborted, true, 'work that begins afterwards');
  whenClosed(response, () => released++);
  assert.equal(released, 2, 'afterwards');
}

test('releases what a client of HTTP/1.1 held that left before', async () => {
  const server = createHttp1();
  const sent = request1({ port: await portOf(server), host: '127.0.0.1' }).on('error', () => undefined);
  sent.end();
  const [, response] = await once(server, 'request');
  await check(response, () => sent.destroy());
  server.close();
});

test('releases what a client of HTTP/2 held that left before', async () => {
  const server = createHttp2();
  const session = connect(`http://127.0.0.1:${await portOf(server)}`);
  const sent = session.request({ ':path': '/' });
  sent.on('error', () => undefined);
  const [, response] = await once(server, 'request');
  await check(response, () => sent.close(constants.NGHTTP2_CANCEL));
  session.close();
  server.close();
});

test('cancels nothing once a response was sent, over either protocol', async () => {
  const signals: AbortSignal[] = [];
  const ended: Promise<unknown>[] = [];
  const answer = (raw: AnyResponse) => {
    signals.push(clientGoneSignal({ raw }));
    ended.push(once(raw, 'close'));
    raw.end('sent');
  };
  const http1 = createHttp1((_, response) => answer(response));
  const http2 = createHttp2((_, response) => answer(response));
  await (await fetch(`http://127.0.0.1:${await portOf(http1)}`)).text();
  const session = connect(`http://127.0.0.1:${await portOf(http2)}`);
  await once(session.request({ ':path': '/' }).resume(), 'close');
  await Promise.all(ended);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [false, false],
  );
  session.close();
  http1.close();
  http2.close();
});

test('waits for the end of a response with one listener, however much is to be done then', async () => {
  const server = createHttp1();
  const sent = request1({ port: await portOf(server), host: '127.0.0.1' }).on('error', () => undefined);
  sent.end();
  const [, response] = await once(server, 'request');
  const before = response.listenerCount('close');
  const done: number[] = [];
  for (let work = 0; work < 20; work++) whenClosed(response, () => done.push(work));
  assert.equal(response.listenerCount('close'), before + 1);
  sent.destroy();
  await until(() => done.length === 20, 'the end of the response');
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
  );
  server.close();
});
