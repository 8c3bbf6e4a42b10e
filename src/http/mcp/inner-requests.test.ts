// Requests of the server to itself: they look like all others, end with their caller, and have bounded answers.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import { AnswerTooLarge, InnerRequests } from './inner-requests.ts';

const NEVER = new AbortController().signal;
const ASKED = { method: 'POST', path: '/x', headers: { host: 'here' }, address: '10.1.2.3', signal: NEVER };

function innerOf(serve: (request: IncomingMessage, response: ServerResponse) => void): InnerRequests {
  return new InnerRequests({
    serve: (request, response) => serve(Object(request), Object(response)),
    basePort: () => 5080,
  });
}

test('passes method, path, headers, body and the address of the caller on, and returns the answer', async () => {
  const inner = innerOf(async (request, response) => {
    const body = (await request.toArray()).join('');
    const { remoteAddress, localPort } = request.socket;
    response.writeHead(201, { 'x-a': 'b' });
    response.end(
      JSON.stringify([request.method, request.url, request.headers.host, body, remoteAddress, localPort]),
    );
  });
  const { status, headers, text } = await inner.ask({ ...ASKED, body: new TextEncoder().encode('né') });
  assert.equal(status, 201);
  assert.equal(headers['x-a'], 'b');
  assert.deepEqual(JSON.parse(text), ['POST', '/x', 'here', 'né', '10.1.2.3', 5080]);
});

test('carries bodies and answers of megabytes', async () => {
  const inner = innerOf((request, response) => void request.pipe(response));
  const body = new Uint8Array(2 ** 21).fill(65);
  assert.equal((await inner.ask({ ...ASKED, body })).text.length, body.length);
});

test('ends the work of a caller who has gone', async () => {
  const controller = new AbortController();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const inner = innerOf((_, response) => {
    response.once('close', () => resolve());
    controller.abort(new Error('gone'));
  });
  await assert.rejects(inner.ask({ ...ASKED, signal: controller.signal }), /gone/);
  await closed;
});

test('refuses an answer that is too large, and stops reading it', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const inner = innerOf(async (_, response) => {
    response.once('close', () => resolve());
    const piece = Buffer.alloc(2 ** 20);
    while (!response.destroyed)
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed]);
  });
  await assert.rejects(inner.ask(ASKED), AnswerTooLarge);
  await closed;
});
