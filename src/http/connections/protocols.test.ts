// Guarantees of the listeners: every protocol on every port, and clean refusals.
import assert from 'node:assert/strict';
import { request as httpsRequest } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { bodyOf, http2Request, openRaw } from '../testing/raw-client.ts';
import { selfSigned } from '../testing/self-signed.ts';
import { KEY_A, startTestServer } from '../testing/start-test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

const HTTP2_PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const GOAWAY = 7;
const ALERT_HANDSHAKE_FAILURE = Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]);
const QUERY = { ':method': 'POST', ':path': '/query', 'api-key': KEY_A, 'content-type': 'application/json' };

describe('without certificates', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ settings: { drainSeconds: 1 } });
  });
  after(() => server.server.stop());

  test('serves HTTP/1.1 on the base port and on index ports', async () => {
    const things = await fetch(`${server.base}/things`, { headers: { 'api-key': KEY_A } });
    assert.equal(things.status, 200);
    const query = await fetch(`${server.indexBase}/query`, {
      method: 'POST',
      headers: { 'api-key': KEY_A },
      body: '{"topK":1}',
    });
    assert.deepEqual(await query.json(), { fine: true });
  });

  test('serves HTTP/2 without TLS on the base port and on index ports', async () => {
    const things = await http2Request(server.base, { headers: { ':path': '/things', 'api-key': KEY_A } });
    assert.equal(things.headers[':status'], 200);
    const query = await http2Request(server.indexBase, { headers: QUERY, body: '{"topK":2}' });
    assert.deepEqual(JSON.parse(query.body), { fine: true });
    assert.equal(Buffer.concat(server.executor.calls.at(-1)?.body ?? []).toString(), '{"topK":2}');
  });

  test('reads a request that arrives byte by byte', async () => {
    const raw = openRaw(server.port);
    const words = `POST /things HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`;
    for (const character of words) {
      raw.socket.write(character);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.match((await raw.closed).toString(), /^HTTP\/1\.1 200 /);
  });

  test('refuses a request without a host with a message; HTTP/1.0 needs none', async () => {
    const refused = (await openRaw(server.port, 'GET /health HTTP/1.1\r\n\r\n').closed).toString();
    assert.match(refused, /^HTTP\/1\.1 400 .*x-request-id: [0-9a-f-]{36}/s);
    assert.deepEqual(bodyOf(Buffer.from(refused)), {
      status: 400,
      error: { code: 'INVALID_ARGUMENT', message: 'The request has no Host header.' },
    });
    const older = await openRaw(server.port, 'GET /health HTTP/1.0\r\n\r\n').closed;
    assert.match(older.toString(), /^HTTP\/1\.1 200 /);
  });

  test('ignores an unknown expectation', async () => {
    const words = 'GET /health HTTP/1.1\r\nhost: x\r\nexpect: nonsense\r\nconnection: close\r\n\r\n';
    assert.match((await openRaw(server.port, words).closed).toString(), /^HTTP\/1\.1 200 /);
  });

  test('recognizes an HTTP/2 preface in two pieces', async () => {
    const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const raw = openRaw(server.port, HTTP2_PREFACE.subarray(0, 2));
    await new Promise((resolve) => setTimeout(resolve, 30));
    raw.socket.write(Buffer.concat([HTTP2_PREFACE.subarray(2), emptySettings]));
    await new Promise((resolve) => raw.socket.once('data', resolve));
    const typeOfFirstFrame = raw.received()[3];
    assert.equal(typeOfFirstFrame, 4);
    raw.socket.destroy();
  });

  test('tells a TLS client by an alert that there is no TLS, and in the log what to set', async () => {
    const failure = await new Promise<NodeJS.ErrnoException>((resolve) => {
      connectTls({ port: server.port, host: '127.0.0.1' }).on('error', resolve);
    });
    assert.match(String(failure.code), /ALERT_HANDSHAKE_FAILURE/);
    const hello = openRaw(server.indexPort, Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05]));
    assert.deepEqual(await hello.closed, ALERT_HANDSHAKE_FAILURE);
    assert.match(
      server.logLines.at(-1) ?? '',
      /"level":40.*a client began TLS.*http:\/\/ address.*docs\/grpc\.md/,
    );
  });

  test('sends a 400 with a JSON body to what is not HTTP, and closes it', async () => {
    const answer = await openRaw(server.port, 'HELLO\r\n\r\n').closed;
    assert.match(answer.toString(), /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.deepEqual(bodyOf(answer), {
      status: 400,
      error: { code: 'INVALID_ARGUMENT', message: 'The request is not valid HTTP.' },
    });
  });

  test('refuses new connections on a closed index port at once', async () => {
    const port = await server.openIndex({ id: 'short-lived', projectId: 'project-a' });
    assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    await server.server.ports.close(port);
    await server.server.ports.close(port);
    const failure = await new Promise<NodeJS.ErrnoException>((resolve) => {
      openRaw(port).socket.on('error', resolve);
    });
    assert.equal(failure.code, 'ECONNREFUSED');
  });

  test('reports a port in use by its error code', async () => {
    await assert.rejects(server.server.ports.listen(server.port), { code: 'EADDRINUSE' });
  });
});

describe('with certificates', () => {
  const tls = selfSigned();
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ tls, settings: { drainSeconds: 1 } });
  });
  after(() => server.server.stop());

  test('serves HTTP/2 over TLS on every port', async () => {
    const things = await http2Request(server.base, {
      headers: { ':path': '/things', 'api-key': KEY_A },
      ca: tls.cert,
    });
    assert.equal(things.headers[':status'], 200);
    const query = await http2Request(server.indexBase, { headers: QUERY, body: '{}', ca: tls.cert });
    assert.deepEqual(JSON.parse(query.body), { fine: true });
  });

  test('serves HTTP/1.1 over TLS on every port', async () => {
    for (const url of [`${server.base}/things`, `${server.indexBase}/vectors/fetch?ids=1`]) {
      const status = await new Promise((resolve, reject) => {
        httpsRequest(url, { ca: tls.cert, headers: { 'api-key': KEY_A }, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on('error', reject)
          .end();
      });
      assert.equal(status, 200);
    }
  });

  test('refuses a plaintext HTTP/1.1 request with a clear message, with or without a key', async () => {
    const raw = openRaw(server.indexPort, `GET /health HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`);
    const answer = await raw.closed;
    assert.match(answer.toString(), /^HTTP\/1\.1 400 /);
    assert.match(JSON.stringify(bodyOf(answer)), /HTTPS only/);
  });

  test('refuses a plaintext HTTP/2 session with GOAWAY, and tells the log what to set', async () => {
    const answer = await openRaw(server.port, HTTP2_PREFACE).closed;
    assert.equal(answer[9 + 3], GOAWAY);
    assert.match(server.logLines.at(-1) ?? '', /"level":40.*HTTP\/2 without TLS.*https:\/\/ address/);
  });

  test('keeps serving others after a broken TLS handshake', async () => {
    await openRaw(server.port, Buffer.from('1603010005ffffffffff', 'hex')).closed;
    const things = await http2Request(server.base, { headers: { ':path': '/health' }, ca: tls.cert });
    assert.deepEqual(JSON.parse(things.body), { status: 'ok' });
  });
});
