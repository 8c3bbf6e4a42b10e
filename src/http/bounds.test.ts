// Guarantees against slow, disconnected and oversized clients: they get a response or are closed, and harm no one else.
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import {
  CONTROL_REQUEST_BYTES_MAX,
  DATA_REQUEST_BYTES_MAX,
  FETCH_IDS_MAX,
  RECORD_ID_CHARS_MAX,
} from '../domain/limits.ts';
import { inTime, until } from '../platform/testing/until.ts';
import { DATA_BODY_BYTES_MAX } from './data-requests.ts';
import { bodyOf, http2Request, openRaw } from './testing/raw-client.ts';
import { KEY_A, KEY_B, startTestServer } from './testing/start-test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** Short enough for a test, and longer than a busy machine takes to read what has arrived. */
const SHORT_TIMES = { headersSeconds: 0.8, requestSeconds: 1, keepAliveSeconds: 0.8, drainSeconds: 1 };
const POST_THINGS = `POST /things HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-type: application/json\r\n`;
const TOO_LARGE_CONTROL = {
  status: 413,
  error: {
    code: 'INVALID_ARGUMENT',
    message: `The request body exceeds the maximum size of ${CONTROL_REQUEST_BYTES_MAX} bytes.`,
  },
};

async function assertServes({ base }: TestServer): Promise<void> {
  assert.equal((await fetch(`${base}/things`, { headers: { 'api-key': KEY_A } })).status, 200);
}

describe('slow clients', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ settings: SHORT_TIMES });
  });
  after(() => server.server.stop());

  test('closes one that sends nothing', async () => {
    assert.equal((await inTime(openRaw(server.port).closed, 'a silent connection')).length, 0);
    await assertServes(server);
  });

  test('sends 408 to one that never finishes its headers, and closes it', async () => {
    const raw = openRaw(server.port, 'GET /things HTTP/1.1\r\nhost: x\r\n');
    await dripOn(raw.socket, 'x-drip: 1\r\n');
    const answer = await inTime(raw.closed, 'a slow header');
    assert.match(answer.toString(), /^HTTP\/1\.1 408 /);
    assert.deepEqual(bodyOf(answer), {
      status: 408,
      error: { code: 'DEADLINE_EXCEEDED', message: 'The request was not received in time.' },
    });
  });

  test('sends 408 to one that never finishes its body, and closes it', async () => {
    const raw = openRaw(server.port, `${POST_THINGS}content-length: 1000\r\n\r\n{`);
    await dripOn(raw.socket, ' ');
    const answer = await inTime(raw.closed, 'a slow body');
    assert.match(answer.toString(), /^HTTP\/1\.1 408 /);
    await assertServes(server);
  });

  test('closes one that stops after a response when its idle time is over', async () => {
    const raw = openRaw(server.port, `GET /things HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`);
    assert.match((await inTime(raw.closed, 'an idle connection')).toString(), /^HTTP\/1\.1 200 /);
  });

  test('cuts off an HTTP/2 request whose body never ends', async () => {
    const session = connectHttp2(server.base);
    const stream = session.request({ ':method': 'POST', ':path': '/things', 'api-key': KEY_A });
    stream.on('error', () => undefined);
    stream.resume();
    stream.write('{');
    const drip = setInterval(() => stream.write(' '), 50);
    await inTime(new Promise((resolve) => stream.once('close', resolve)), 'a slow HTTP/2 body');
    clearInterval(drip);
    session.destroy();
    await assertServes(server);
  });

  test('leaves an HTTP/2 request without a body all the time that its response takes', async () => {
    for (const isEmptyBody of [false, true]) {
      server.executor.answer = async () => {
        await new Promise((resolve) => setTimeout(resolve, 2_000 * SHORT_TIMES.requestSeconds));
        return { status: 200, headers: {}, body: '{"fine":true}' };
      };
      const session = connectHttp2(server.indexBase);
      const headers = { ':path': '/vectors/fetch', 'api-key': KEY_A };
      // As some proxies send it: the end comes after the headers, in an empty frame.
      const stream = session.request(headers, { endStream: !isEmptyBody });
      if (isEmptyBody) setTimeout(() => stream.end(), 20);
      stream.setEncoding('utf8');
      let text = '';
      for await (const piece of stream) text += piece;
      session.close();
      assert.equal(text, '{"fine":true}');
    }
  });

  /** Resolves once the log has `count` lines of responses that were cut off. */
  const cutOff = (count: number) =>
    until(
      () => server.logLines.filter((line) => /fetch.*"cutOff":true/.test(line)).length >= count,
      'closing a slow reader',
    );

  test('closes one that does not read its response, over HTTP/1.1', async () => {
    const big = 'x'.repeat(64 * 1024 * 1024);
    server.executor.answer = async () => ({ status: 200, headers: {}, body: big });
    const raw = openRaw(
      server.indexPort,
      `GET /vectors/fetch HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`,
    );
    raw.socket.pause();
    await cutOff(1).finally(() => raw.socket.destroy());
  });

  test('closes one that does not read its response, over HTTP/2', async () => {
    const big = 'x'.repeat(64 * 1024 * 1024);
    server.executor.answer = async () => ({ status: 200, headers: {}, body: big });
    const before = server.logLines.filter((line) => /fetch.*"cutOff":true/.test(line)).length;
    const session = connectHttp2(server.indexBase);
    session.on('error', () => undefined);
    session.request({ ':path': '/vectors/fetch', 'api-key': KEY_A }).on('error', () => undefined);
    await cutOff(before + 1).finally(() => session.destroy());
  });

  test('closes an HTTP/2 session without requests, pings or not', async () => {
    const session = connectHttp2(server.base);
    session.on('error', () => undefined);
    const ping = setInterval(() => session.destroyed || session.closed || session.ping(() => undefined), 100);
    await inTime(new Promise((resolve) => session.once('close', resolve)), 'an idle HTTP/2 session');
    clearInterval(ping);
  });
});

describe('disconnected clients', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ settings: { drainSeconds: 1 } });
  });
  after(() => server.server.stop());

  test('never pass a truncated body to a handler, nor count as a server error', async () => {
    const body = '{"topK":';
    const raw = openRaw(
      server.indexPort,
      `POST /query HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-length: 100\r\n\r\n${body}`,
    );
    await new Promise((resolve) => raw.socket.write('', resolve));
    raw.socket.destroy();
    const session = connectHttp2(server.indexBase);
    const stream = session.request({ ':method': 'POST', ':path': '/query', 'api-key': KEY_A });
    stream.on('error', () => undefined);
    stream.write(body);
    // Once the second request is answered, the server has the first one, too.
    const second = session.request({ ':path': '/nothing' });
    second.resume();
    await new Promise((resolve) => second.once('response', resolve));
    // Closing the stream alone would first end the body in order.
    session.destroy();
    const cutOffs = () => server.logLines.filter((line) => line.includes('"cutOff":true')).length;
    await until(() => cutOffs() === 2, 'the log of both requests');
    await assertServes(server);
    assert.equal(server.executor.calls.length, 0);
    const levels = server.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
    assert.deepEqual(levels, []);
    assert.equal(cutOffs(), 2);
  });

  test('harm no one when they leave before the response', async () => {
    const release = Promise.withResolvers<void>();
    const leaving = new AbortController();
    server.executor.answer = async () => {
      leaving.abort();
      await release.promise;
      return { status: 200, headers: {}, body: '{}' };
    };
    const query = fetch(`${server.indexBase}/query`, {
      method: 'POST',
      body: '{}',
      headers: { 'api-key': KEY_A },
      signal: leaving.signal,
    });
    await assert.rejects(query, { name: 'AbortError' });
    release.resolve();
    await assertServes(server);
  });
});

describe('oversized requests', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ settings: { drainSeconds: 1 } });
  });
  after(() => server.server.stop());

  test('get 413 for a declared length over the bound before anything is read', async () => {
    const raw = openRaw(
      server.port,
      `${POST_THINGS}content-length: ${CONTROL_REQUEST_BYTES_MAX + 1}\r\n\r\n`,
    );
    await new Promise((resolve) => raw.socket.once('data', resolve));
    assert.deepEqual(bodyOf(raw.received()), TOO_LARGE_CONTROL);
    raw.socket.destroy();
  });

  test('let a client that sends the body anyway read the 413', async () => {
    const answer = await post(`${server.base}/things`, 'x'.repeat(8 * CONTROL_REQUEST_BYTES_MAX));
    assert.equal(answer.status, 413);
    assert.deepEqual(await answer.json(), TOO_LARGE_CONTROL);
    const { headers, body } = await http2Request(server.base, {
      headers: {
        ':method': 'POST',
        ':path': '/things',
        'api-key': KEY_A,
        'content-type': 'application/json',
      },
      body: 'x'.repeat(2 * CONTROL_REQUEST_BYTES_MAX),
    });
    assert.equal(headers[':status'], 413);
    assert.deepEqual(JSON.parse(body), TOO_LARGE_CONTROL);
  });

  test('get 413 for a body of undeclared length once it exceeds the bound', async () => {
    const chunk = new Uint8Array(64 * 1024).fill(0x20);
    let left = (2 * CONTROL_REQUEST_BYTES_MAX) / chunk.length;
    const stream = new ReadableStream({
      pull: (controller) => {
        if (left === 0) controller.close();
        else controller.enqueue(chunk);
        left -= 1;
      },
    });
    assert.equal((await post(`${server.base}/things`, stream)).status, 413);
  });

  test('reads a body at the bound', async () => {
    const text = 'x'.repeat(CONTROL_REQUEST_BYTES_MAX - 2);
    const answer = await post(`${server.base}/things`, `"${text}"`);
    assert.equal(answer.status, 200);
  });

  test('reach the endpoint of an index port when a little too large, and get 413 in its family when far too large', async () => {
    const slightly = new Uint8Array(DATA_REQUEST_BYTES_MAX + 1);
    assert.equal((await post(`${server.indexBase}/query`, slightly)).status, 200);
    assert.equal(Buffer.concat(server.executor.calls.at(-1)?.body ?? []).length, slightly.length);
    const answer = await post(`${server.indexBase}/query`, new Uint8Array(DATA_BODY_BYTES_MAX + 1));
    assert.equal(answer.status, 413);
    assert.partialDeepStrictEqual(await answer.json(), {
      code: 3,
      message: `The request body exceeds the maximum size of ${DATA_BODY_BYTES_MAX} bytes.`,
      details: [],
    });
  });

  test('fits a fetch of the most and longest ids into the URL', async () => {
    const ids = Array.from({ length: FETCH_IDS_MAX }, (_, at) => `${at}-`.padEnd(RECORD_ID_CHARS_MAX, 'x'));
    const query = ids.map((id) => `ids=${id}`).join('&');
    const answer = await fetch(`${server.indexBase}/vectors/fetch?${query}`, {
      headers: { 'api-key': KEY_A },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(server.executor.calls.at(-1)?.query.ids, ids);
  });

  test('get 431 for headers over the bound', async () => {
    const raw = openRaw(server.port, `GET / HTTP/1.1\r\nhost: x\r\nx-big: ${'x'.repeat(700 * 1024)}\r\n\r\n`);
    const answer = await raw.closed;
    assert.match(answer.toString(), /^HTTP\/1\.1 431 /);
    assert.match(JSON.stringify(bodyOf(answer)), /URL and headers of the request exceed \d+ bytes/);
  });
});

test('closes connections over the bound at once, and accepts others when some end', async () => {
  const server = await startTestServer({ settings: { connectionsMax: 2, drainSeconds: 1 } });
  const request = `GET /health HTTP/1.1\r\nhost: x\r\n\r\n`;
  const kept = [openRaw(server.port, request), openRaw(server.indexPort, request)];
  await Promise.all(kept.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))));
  assert.equal((await openRaw(server.port, request).closed).length, 0);
  kept[0]?.socket.destroy();
  // The server may take a while to notice.
  await until(async () => {
    const { socket, closed, received } = openRaw(server.port, request);
    await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed]);
    return received().toString().startsWith('HTTP/1.1 200 ');
  }, 'the place of a connection that has ended');
  assert.ok(server.logLines.some((line) => line.includes('too many')));
  await server.server.stop();
});

test('bounds the memory of bodies that clients never finish, and returns it', async (context) => {
  const small = await startTestServer({ settings: { bodyMebibytesMax: 8, drainSeconds: 0 } });
  context.after(() => small.server.stop());
  const half = Buffer.alloc(DATA_BODY_BYTES_MAX - 1);
  const head = `POST /query HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-length: ${DATA_BODY_BYTES_MAX}\r\n\r\n`;
  const open = () => openRaw(small.indexPort, head, half);
  let unfinished = [open(), open()];
  const body = new Uint8Array(DATA_REQUEST_BYTES_MAX);
  const answersWith = async (status: number) => {
    // One that arrived while a request of the test used the memory was refused itself.
    unfinished = unfinished.map((each) => (each.received().length > 0 ? open() : each));
    const answer = await post(`${small.indexBase}/query`, body);
    if (status === 429 && answer.status === status) assert.equal(answer.headers.get('retry-after'), '1');
    return answer.status === status;
  };
  await until(() => answersWith(429), 'the refusal');
  for (const { socket } of unfinished) socket.destroy();
  unfinished = [];
  await until(() => answersWith(200), 'the memory');
});

test('takes the memory of a body that a client never finishes back for another project', async (context) => {
  const small = await startTestServer({ settings: { bodyMebibytesMax: 8, drainSeconds: 0 } });
  context.after(() => small.server.stop());
  const part = Buffer.alloc(DATA_BODY_BYTES_MAX - 1);
  const head = `POST /query HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-length: ${DATA_BODY_BYTES_MAX}\r\n\r\n`;
  const unfinished = [openRaw(small.indexPort, head, part), openRaw(small.indexPort, head, part)];
  const refused = () =>
    unfinished.filter(({ received }) => received().toString().startsWith('HTTP/1.1 429 '));
  const body = JSON.stringify({ name: 'a' });
  await until(async () => {
    const headers = { 'api-key': KEY_B, 'content-type': 'application/json' };
    const { status } = await fetch(`${small.base}/things`, { method: 'POST', body, headers });
    assert.equal(status, 200);
    return refused().length === 1;
  }, 'the memory of another project');
});

test('counts responses that clients do not read against the same memory', async (context) => {
  const small = await startTestServer({ settings: { bodyMebibytesMax: 8, drainSeconds: 0 } });
  context.after(() => small.server.stop());
  small.executor.answer = async () => ({ status: 200, headers: {}, body: 'x'.repeat(7 * 2 ** 20) });
  const deaf = openRaw(
    small.indexPort,
    `GET /vectors/fetch HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`,
  );
  deaf.socket.pause();
  const ask = () => fetch(`${small.indexBase}/vectors/fetch`, { headers: { 'api-key': KEY_A } });
  const answersWith = async (status: number) => {
    const answer = await ask();
    await answer.text();
    return answer.status === status;
  };
  await until(() => answersWith(429), 'the refusal');
  deaf.socket.destroy();
  await until(() => answersWith(200), 'the memory');
});

test('has no answer made that is larger than half of the memory', async (context) => {
  const small = await startTestServer({ settings: { bodyMebibytesMax: 8, drainSeconds: 0 } });
  context.after(() => small.server.stop());
  await fetch(`${small.indexBase}/vectors/fetch`, { headers: { 'api-key': KEY_A } });
  assert.equal(small.executor.calls[0]?.answerBytesMax, 4 * 2 ** 20);
});

test('sends an answer whose work is done, though its project holds half of the memory', async (context) => {
  const small = await startTestServer({ settings: { bodyMebibytesMax: 8, drainSeconds: 0 } });
  context.after(() => small.server.stop());
  const working = Promise.withResolvers<void>();
  small.executor.answer = async () => {
    await working.promise;
    return { status: 200, headers: {}, body: 'x'.repeat(2.5 * 2 ** 20) };
  };
  const body = new Uint8Array(DATA_REQUEST_BYTES_MAX - 10);
  const asked = [post(`${small.indexBase}/query`, body), post(`${small.indexBase}/query`, body)];
  await until(() => small.executor.calls.length === 2, 'the work');
  const other = await fetch(`${small.base}/things`, {
    method: 'POST',
    headers: { 'api-key': KEY_B, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'a' }),
  });
  assert.equal(other.status, 200);
  working.resolve();
  for (const answer of await Promise.all(asked)) assert.equal(answer.status, 200);
});

function post(url: string, body: string | Uint8Array<ArrayBuffer> | ReadableStream): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body,
    headers: { 'api-key': KEY_A, 'content-type': 'application/json' },
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
}

/** Sends a little again and again, but nothing at the end: what comes after an answer makes TCP throw it away. */
async function dripOn(socket: Socket, text: string): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => socket.write(text, resolve));
}
