// Guarantees of gRPC on a port: admission, what the engine receives, and responses and refusals on the wire.
import assert from 'node:assert/strict';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { DataAnswer } from '../../api/data-request.ts';
import { dataRoutes } from '../../api/rest/data-routes.ts';
import { overloaded } from '../../domain/overload.ts';
import { until } from '../../platform/testing/until.ts';
import { DATA_BODY_BYTES_MAX } from '../data-requests.ts';
import { selfSigned } from '../testing/self-signed.ts';
import { KEY_A, KEY_B, startTestServer, type TestServer } from '../testing/start-test-server.ts';

const FRAME = Buffer.from([0, 0, 0, 0, 2, 0x10, 0x05]);
const ANSWER: DataAnswer = { status: 200, headers: { 'x-pinecone-request-lsn': '7' }, body: FRAME };

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Whether the response was headers alone. */
  readonly isTrailersOnly: boolean;
}

it('counts a compressed write for quotas as it is decompressed, as one that comes plain', async (context) => {
  const arrived: number[] = [];
  const limited = await startTestServer({
    data: dataRoutes,
    admitBody: ({ bytes }) => {
      arrived.push(bytes);
    },
  });
  limited.executor.answer = async () => ANSWER;
  const session = connect(limited.indexBase);
  context.after(async () => {
    session.close();
    await limited.server.stop();
  });
  const upsert = async (flag: number, message: Uint8Array) => {
    const frame = Buffer.concat([Buffer.of(flag, 0, 0, 0, 0), message]);
    frame.writeUInt32BE(message.length, 1);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/VectorService/Upsert',
      'content-type': 'application/grpc',
      'grpc-encoding': 'gzip',
      'api-key': KEY_A,
    });
    stream.end(frame);
    const { headers, trailers } = await answerOf(stream);
    return headers['grpc-status'] ?? trailers['grpc-status'];
  };
  const message = Buffer.alloc(DATA_BODY_BYTES_MAX);
  assert.deepEqual([await upsert(0, message), await upsert(1, gzipSync(message))], ['0', '0']);
  assert.deepEqual(arrived, [message.length + 5, message.length + 5]);
  const tooLarge = gzipSync(Buffer.alloc(message.length + 1));
  assert.equal(await upsert(1, tooLarge), '3');
  assert.equal(arrived.length, 2);
});

describe('gRPC', () => {
  let server: TestServer;
  let session: ClientHttp2Session;
  before(async () => {
    server = await startTestServer({ data: dataRoutes });
    session = connect(server.indexBase);
  });
  after(async () => {
    session.close();
    await server.server.stop();
  });

  const open = (headers: Readonly<Record<string, string>> = {}): ClientHttp2Stream =>
    session.request({
      ':method': 'POST',
      ':path': '/VectorService/Query',
      'content-type': 'application/grpc',
      te: 'trailers',
      'api-key': KEY_A,
      ...headers,
    });

  const ask = (headers: Readonly<Record<string, string>> = {}, body: Uint8Array = FRAME): Promise<Answer> => {
    const stream = open(headers);
    stream.end(body);
    return answerOf(stream);
  };

  it('passes a method to the engine as its endpoint, with the frame as received', async () => {
    server.executor.answer = async () => ANSWER;
    const { headers, trailers, body } = await ask({ 'x-pinecone-api-version': '2025-10' });
    const call = server.executor.calls.at(-1);
    assert.deepEqual([call?.endpointId, call?.rpc, call?.index.id], ['query_vectors', 'Query', 'a-index']);
    assert.equal(call?.version, '2025-10');
    assert.deepEqual(Buffer.concat(call?.body ?? []), FRAME);
    assert.deepEqual([headers[':status'], headers['content-type']], [200, 'application/grpc']);
    assert.deepEqual([trailers['grpc-status'], body], ['0', FRAME]);
    assert.match(String(headers['x-pinecone-request-id']), /^[0-9a-f-]{36}$/);
    assert.equal(headers['x-request-id'], headers['x-pinecone-request-id']);
    assert.equal(headers['x-pinecone-request-lsn'], '7');
    assert.equal(trailers['x-pinecone-request-lsn'], '7');
    assert.match(String(trailers['x-pinecone-response-duration-ms']), /^\d+$/);
  });

  it('passes the moment that a call reads at', async () => {
    server.executor.answer = async () => ANSWER;
    await ask({ 'x-pinyon-as-of': '117' });
    assert.equal(server.executor.calls.at(-1)?.asOf, '117');
    await ask();
    assert.equal(server.executor.calls.at(-1)?.asOf, undefined);
  });

  it('passes the recall that a call asks for', async () => {
    server.executor.answer = async () => ANSWER;
    await ask({ 'x-pinyon-recall': '0.99' });
    assert.equal(server.executor.calls.at(-1)?.recall, '0.99');
    await ask();
    assert.equal(server.executor.calls.at(-1)?.recall, undefined);
  });

  it('takes both content types, and a frame in pieces', async () => {
    for (const type of ['application/grpc+proto', 'application/grpc; charset=x']) {
      assert.equal((await ask({ 'content-type': type })).trailers['grpc-status'], '0', type);
    }
    const stream = open();
    for (const byte of FRAME) stream.write(Buffer.of(byte));
    stream.end();
    assert.equal((await answerOf(stream)).trailers['grpc-status'], '0');
    assert.deepEqual(Buffer.concat(server.executor.calls.at(-1)?.body ?? []), FRAME);
  });

  it('refuses other subtypes, which carry no protobuf messages', async () => {
    for (const type of ['application/grpc+json', 'application/grpc-web', 'application/grpc-web+proto']) {
      const { headers } = await ask({ 'content-type': type });
      assert.deepEqual([headers[':status'], headers['grpc-status']], [404, undefined], type);
    }
  });

  it('refuses a caller without a key in headers alone, before reading the message', async () => {
    const calls = server.executor.calls.length;
    for (const key of ['', 'pcsk_wrong']) {
      const stream = open({ 'api-key': key });
      const { headers, isTrailersOnly } = await answerOf(stream);
      stream.end();
      assert.deepEqual([headers[':status'], headers['grpc-status']], [200, '16']);
      assert.deepEqual([headers['grpc-message'], isTrailersOnly], ['Invalid API key.', true]);
      assert.ok(headers['x-pinecone-request-id']);
    }
    assert.equal(server.executor.calls.length, calls);
  });

  it("shows no difference between another project's index and none", async () => {
    const foreign = await ask({ 'api-key': KEY_B });
    assert.equal(foreign.headers['grpc-status'], '5');
    assert.match(String(foreign.headers['grpc-message']), /^No index is served at 127\.0\.0\.1:\d+\.$/);
    const atBase = connect(server.base);
    const stream = atBase.request({
      ':method': 'POST',
      ':path': '/VectorService/Query',
      'content-type': 'application/grpc',
      'api-key': KEY_A,
    });
    stream.end(FRAME);
    const none = await answerOf(stream);
    atBase.close();
    assert.deepEqual([none.headers['grpc-status'], none.isTrailersOnly], ['5', true]);
  });

  it('responds UNIMPLEMENTED to unknown methods and encodings', async () => {
    for (const path of ['/VectorService/Nothing', '/Other/Query', '/NamespaceAliasService/Nothing', '/%']) {
      const { headers, isTrailersOnly } = await ask({ ':path': path });
      assert.equal(isTrailersOnly, true);
      assert.equal(headers['grpc-status'], path === '/%' ? '3' : '12', path);
    }
    const { headers } = await ask({ 'grpc-encoding': 'zstd' });
    assert.deepEqual([headers['grpc-status'], headers['grpc-accept-encoding']], ['12', 'identity,gzip']);
    assert.equal((await ask({ 'grpc-encoding': 'gzip' })).trailers['grpc-status'], '0');
  });

  it('refuses a frame as soon as it is too large', async () => {
    const stream = open();
    stream.write(Buffer.alloc(DATA_BODY_BYTES_MAX + 6));
    const { headers } = await answerOf(stream);
    stream.end();
    assert.equal(headers['grpc-status'], '3');
    assert.match(String(headers['grpc-message']), /exceeds the maximum size/);
  });

  it("reports the engine's refusals, and when to retry after an overload", async () => {
    server.executor.answer = async () => ({
      status: 404,
      headers: { 'grpc-status': '5', 'grpc-message': 'Namespace not found' },
      body: '',
    });
    const missing = await ask();
    assert.deepEqual([missing.headers['grpc-status'], missing.isTrailersOnly], ['5', true]);
    assert.equal(missing.headers['grpc-message'], 'Namespace not found');
    server.executor.answer = () => Promise.reject(overloaded());
    const { headers } = await ask();
    assert.equal(headers['grpc-status'], '8');
    assert.match(String(headers['grpc-retry-pushback-ms']), /^\d+000$/);
    server.executor.answer = () => Promise.reject(new Error('secret'));
    const broken = await ask();
    assert.deepEqual(
      [broken.headers['grpc-status'], broken.headers['grpc-message']],
      ['2', 'Internal server error'],
    );
  });

  it('ends a request at its deadline, and refuses invalid deadlines', async () => {
    server.executor.answer = () => new Promise(() => {});
    for (const timeout of ['5m', '5000u', '1n']) {
      const { headers, isTrailersOnly } = await ask({ 'grpc-timeout': timeout });
      assert.deepEqual([headers['grpc-status'], isTrailersOnly], ['4', true], timeout);
    }
    server.executor.answer = async () => ANSWER;
    for (const timeout of ['1H', '99999999H', '10S']) {
      assert.equal((await ask({ 'grpc-timeout': timeout })).trailers['grpc-status'], '0', timeout);
    }
    assert.equal((await ask({ 'grpc-timeout': 'soon' })).headers['grpc-status'], '3');
  });

  it('counts a message past its deadline until the engine is done with it', async () => {
    const small = await startTestServer({ data: dataRoutes, settings: { bodyMebibytesMax: 5 } });
    const client = connect(small.indexBase);
    const send = (timeout: string): Promise<Answer> => {
      const headers = {
        ':method': 'POST',
        ':path': '/VectorService/Query',
        'content-type': 'application/grpc',
      };
      const stream = client.request({ ...headers, 'api-key': KEY_A, 'grpc-timeout': timeout });
      stream.end(Buffer.alloc(3 * 2 ** 20));
      return answerOf(stream);
    };
    const engine = Promise.withResolvers<DataAnswer>();
    const begun = Promise.withResolvers<void>();
    small.executor.answer = () => {
      begun.resolve();
      return engine.promise;
    };
    const late = send('1S');
    await begun.promise;
    assert.equal((await late).headers['grpc-status'], '4');
    assert.equal((await send('10S')).headers['grpc-status'], '8');
    engine.resolve(ANSWER);
    small.executor.answer = async () => ANSWER;
    assert.equal((await send('10S')).trailers['grpc-status'], '0');
    client.close();
    await small.server.stop();
  });

  it('survives clients that disconnect in the middle of a message or before the response', async () => {
    const cut = open();
    await new Promise((resolve) => cut.write(FRAME.subarray(0, 3), resolve));
    cut.close(constants.NGHTTP2_CANCEL);
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: answered, resolve: answer } = Promise.withResolvers<DataAnswer>();
    server.executor.answer = () => {
      reach();
      return answered;
    };
    const gone = open();
    gone.end(FRAME);
    await reached;
    gone.close(constants.NGHTTP2_CANCEL);
    await new Promise((resolve) => gone.once('close', resolve));
    answer(ANSWER);
    server.executor.answer = async () => ANSWER;
    assert.equal((await ask()).trailers['grpc-status'], '0');
  });

  it('logs a line for each request, with its status', async () => {
    const { headers } = await ask({ ':path': '/VectorService/Fetch', 'grpc-timeout': 'soon' });
    const lineOf = () =>
      server.logLines
        .map((line) => JSON.parse(line))
        .find(({ requestId }) => requestId === headers['x-request-id']);
    await until(() => lineOf() !== undefined, 'the line');
    const line = lineOf();
    assert.deepEqual([line.route, line.grpcStatus, line.index], ['/VectorService/Fetch', '3', 'a-index']);
    assert.equal(line.cutOff, undefined);
  });
});

it('serves gRPC over TLS by ALPN', async () => {
  const tls = selfSigned();
  const server = await startTestServer({ tls, data: dataRoutes });
  server.executor.answer = async () => ANSWER;
  const session = connect(server.indexBase, { ca: tls.cert });
  const stream = session.request({
    ':method': 'POST',
    ':path': '/VectorService/Upsert',
    'content-type': 'application/grpc',
    'api-key': KEY_A,
  });
  stream.end(FRAME);
  const { trailers } = await answerOf(stream);
  session.close();
  await server.server.stop();
  assert.equal(trailers['grpc-status'], '0');
});

function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let headers: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders = {};
    let isTrailersOnly = false;
    stream.on('response', (given, flags) => {
      headers = given;
      isTrailersOnly = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    });
    stream.on('trailers', (given) => {
      trailers = given;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => resolve({ headers, trailers, body: Buffer.concat(chunks), isTrailersOnly }));
  });
}
