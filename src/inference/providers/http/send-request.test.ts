// Requests to providers: what they say of themselves, responses without a body, and those that take long.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { ANSWER_BYTES_MAX, openAnswer, postJson } from './post-json.ts';
import { sendRequest } from './send-request.ts';

const LONG = process.env.PINYON_TESTS === 'long' ? {} : { skip: 'only in the long form' };
/** Longer than the five minutes after which `fetch` gives up. */
const LONG_MS = 310_000;
const { signal } = new AbortController();

async function serving(listener: RequestListener): Promise<string> {
  // Keeps idle connections for longer than clients should.
  const server = createServer({ keepAliveTimeout: 60_000 }, listener);
  after(() => server.closeAllConnections());
  return `http://${await addressOf(server)}/`;
}

/** Where the server listens, until the tests end. */
async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('asks for JSON that is not compressed, and tells its length', async () => {
  const received: IncomingMessage[] = [];
  const url = await serving((request, response) => {
    received.push(request);
    response.end('{}');
  });
  await postJson({ url, key: 'secret', body: { text: 'é' }, signal });
  await postJson({ url, key: null, signal });
  const shown = received.map(({ method, headers }) => {
    const { host: _, connection: __, ...others } = headers;
    return { method, ...others };
  });
  const common = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'pinyon' };
  assert.deepEqual(shown, [
    {
      ...{ method: 'POST', ...common, authorization: 'Bearer secret' },
      ...{ 'content-type': 'application/json', 'content-length': '13' },
    },
    { method: 'GET', ...common },
  ]);
});

test('takes a response without a body, and fails at a status that is none', async () => {
  let status = 204;
  const url = await serving((_, response) => void response.writeHead(status).end());
  assert.equal((await openAnswer({ url, key: null, body: {}, signal })).body, null);
  status = 700;
  await assert.rejects(openAnswer({ url, key: null, body: {}, signal }), /cannot be reached/);
});

test('fails where a server switches to another protocol', async () => {
  for (const upgrade of ['Upgrade: other\r\nConnection: Upgrade\r\n', '']) {
    const switching = createSocketServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}\r\n`));
    });
    const url = `http://${await addressOf(switching)}/`;
    await assert.rejects(openAnswer({ url, key: null, body: {}, signal }), /cannot be reached/);
  }
});

test('gives a connection up that is not made within ten seconds', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = createSocketServer((socket) => void socket.on('error', () => undefined));
  const [arrived, address] = [once(silent, 'connection'), await addressOf(silent)];
  const answer = openAnswer({ url: `https://${address}/`, key: null, body: {}, signal });
  await arrived;
  context.mock.timers.tick(10_000);
  await assert.rejects(answer, /cannot be reached/);
});

const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const COMPRESSORS = {
  gzip: (bytes: Uint8Array | string) => gzipSync(bytes),
  deflate: (bytes: Uint8Array | string) => deflateSync(bytes),
  br: (bytes: Uint8Array | string) => brotliCompressSync(bytes, QUICK),
};

test('reads answers and refusals that are compressed all the same, bounded by what they hold', async () => {
  for (const [coding, compress] of Object.entries(COMPRESSORS)) {
    let [status, body] = [200, compress('{"text":"é"}')];
    const url = await serving((_, response) => {
      response.writeHead(status, { 'content-encoding': coding, 'content-length': body.length }).end(body);
    });
    const ask = () => postJson({ url, key: null, body: {}, signal, givesReason: 'always' });
    assert.deepEqual(await ask(), { text: 'é' }, coding);
    const whole = body;
    body = whole.subarray(0, -1);
    await assert.rejects(ask(), /broke off/);
    body = compress(Buffer.alloc(ANSWER_BYTES_MAX + 1, ' '));
    await assert.rejects(ask(), /too large/);
    [status, body] = [400, compress('{"error":"at most 75 tokens"}')];
    await assert.rejects(ask(), /at most 75 tokens/);
  }
});

test('keeps a connection for the next request, and closes idle ones before servers do', async () => {
  const connections = new Set<Socket>();
  const url = await serving(({ socket }, response) => {
    connections.add(socket);
    response.end('{}');
  });
  const ask = () => postJson({ url, key: null, body: {}, signal });
  await ask();
  await ask();
  const [kept] = connections;
  assert.ok(kept !== undefined && connections.size === 1);
  // Servers such as this one close after five seconds, at which a request would meet the end of its connection.
  const closedBy = await Promise.race([
    once(kept, 'end').then(() => 'the client'),
    once(kept, 'close').then(() => 'the server'),
  ]);
  assert.equal(closedBy, 'the client');
});

test('goes through the proxy that Node is told of', async () => {
  const asked: (string | undefined)[] = [];
  const proxy = await serving((request, response) => {
    asked.push(request.url);
    response.end();
  });
  const sending = `import { sendRequest } from '${import.meta.resolve('./send-request.ts')}';
    await sendRequest('http://provider.invalid/', { method: 'GET', headers: {}, signal: new AbortController().signal });`;
  const env = {
    ...process.env,
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: proxy,
    NO_PROXY: '',
    no_proxy: '',
    http_proxy: proxy,
  };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', sending], { env });
  assert.deepEqual(asked, ['http://provider.invalid/']);
});

test('sends nothing for a caller that has left, and to no other kind of address', async () => {
  const url = await serving(() => assert.fail('the request is sent'));
  const left = AbortSignal.abort(new Error('left'));
  await assert.rejects(openAnswer({ url, key: null, body: {}, signal: left }), /left/);
  const request = { method: 'GET', headers: {}, body: undefined, signal } as const;
  await assert.rejects(sendRequest('ftp://127.0.0.1/', request), /Protocol "ftp:" not supported/);
});

test('waits for an answer for as long as its caller, before it begins and within', LONG, async () => {
  const url = await serving(async (_, response) => {
    await sleep(LONG_MS);
    response.write('{"text":');
    await sleep(LONG_MS);
    response.end('"late"}');
  });
  assert.deepEqual(await postJson({ url, key: null, body: {}, signal }), { text: 'late' });
});
