// Guarantees of counting requests to indexes: once each, with what the caller was told and all of the time that it took.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataAnswer } from '../api/data-request.ts';
import type { RequestOutcome } from '../app/monitoring/request-meter.ts';
import { fault } from '../domain/faults.ts';
import type { EmbedRequest } from '../domain/inference/port.ts';
import { overloaded } from '../domain/overload.ts';
import { testInference } from '../inference/testing/test-inference.ts';
import { until } from '../platform/testing/until.ts';
import { untouched } from '../platform/testing/untouched.ts';
import { dataEndpoint } from './testing/fakes.ts';
import { KEY_A, startTestServer, type TestServer } from './testing/start-test-server.ts';

const MEBIBYTE = 2 ** 20;
const MODEL_MS = 20;
const UNAVAILABLE = fault('model-unavailable', { model: 'm', reason: 'it is away' });
const search = dataEndpoint({ id: 'search_records', method: 'POST', path: '/{namespace}/search' });

describe('counting requests to indexes', () => {
  let server: TestServer;
  let counted: [index: string, endpoint: string, outcome: RequestOutcome][] = [];
  before(async () => {
    server = await startTestServer({
      settings: { slowRequestMs: MODEL_MS - 1 },
      models: {
        ...testInference(),
        embed: async () => {
          await pause(MODEL_MS);
          return { embeddings: [], totalTokens: 1 };
        },
      },
      meter: { add: (...each) => counted.push(each) },
      data: [
        dataEndpoint({ id: 'query_vectors', method: 'POST', path: '/query' }),
        {
          ...search,
          preprocess: async ({ params, body, inference, run }) => {
            if (params.namespace === 'unread') {
              await pause(MODEL_MS);
              throw UNAVAILABLE;
            }
            const [what] = await Array.fromAsync(body);
            if (String(what) === 'fail') throw UNAVAILABLE;
            if (String(what) === 'parse') await pause(MODEL_MS);
            if (String(what) === 'slow') await inference.embed(untouched<EmbedRequest>());
            const answer = await run([]);
            if (String(what) === 'rerank') throw UNAVAILABLE;
            return { ...answer, work: [1_000, null, null, null, null] };
          },
        },
      ],
    });
  });
  after(() => server.server.stop());

  const send = async (path: string, body: string, answer = server.executor.answer) => {
    counted = [];
    const answerBefore = server.executor.answer;
    server.executor.answer = answer;
    const sent = await fetch(`${server.indexBase}${path}`, {
      method: 'POST',
      headers: { 'api-key': KEY_A },
      body,
    });
    server.executor.answer = answerBefore;
    return sent.status;
  };
  const outcomes = () => counted.map(([index, endpoint, { status }]) => [index, endpoint, status].join(' '));

  it('counts answers, refusals and failures of the engine, with the status that callers got', async () => {
    const failing = (error: Error) => async () => {
      throw error;
    };
    for (const [answer, status] of [
      [async () => ({ status: 200, headers: {}, body: '' }), 200],
      [async () => ({ status: 400, headers: {}, body: '' }), 400],
      [failing(overloaded()), 429],
      [failing(new Error('a thread died')), 500],
      [failing(Object.assign(new Error('full'), { code: 'ENOSPC' })), 503],
    ] as const) {
      assert.equal(await send('/query', '{}', answer), status);
      assert.deepEqual(outcomes(), [`a-index query_vectors ${status}`]);
    }
  });

  it('counts failures of models before and after the engine once, as requests of the index', async () => {
    for (const body of ['fail', 'rerank']) {
      assert.equal(await send('/a/search', body), 503);
      assert.deepEqual(outcomes(), ['a-index search_records 503'], body);
    }
  });

  it('counts all of the time of a refusal that came before the body was read', async () => {
    assert.equal(await send('/unread/search', '{}'), 503);
    const [, , outcome] = counted[0] ?? assert.fail();
    assert.ok(outcome.milliseconds >= MODEL_MS - 1, String(outcome.milliseconds));
  });

  it("counts the time in models, and the engine's own as it was told by the engine", async () => {
    await send('/a/search', 'slow', async () => ({
      status: 200,
      headers: {},
      body: '',
      work: [0.5, 1, null, null, null],
    }));
    const [, , outcome] = counted[0] ?? assert.fail();
    assert.ok((outcome.modelMs ?? 0) >= MODEL_MS - 1, String(outcome.modelMs));
    assert.ok(outcome.milliseconds >= (outcome.modelMs ?? 0));
    assert.equal(outcome.work?.engineMs, 0.5);
  });

  it('counts what this process does with a body as no time in models', async () => {
    await send('/a/search', 'parse');
    const [, , outcome] = counted[0] ?? assert.fail();
    assert.equal(outcome.modelMs, 0);
    assert.ok(outcome.milliseconds >= MODEL_MS - 1, String(outcome.milliseconds));
  });

  it('logs a search as slow whose embedding took long, with the time in models', async () => {
    server.logLines.length = 0;
    await send('/a/search', 'slow');
    const lines = server.logLines.map((line) => JSON.parse(line));
    const slow = lines.find(({ msg }) => msg === 'slow request');
    assert.equal(slow?.operation, 'search_records');
    assert.ok(slow.modelMs >= MODEL_MS - 1 && slow.totalMs >= slow.modelMs, JSON.stringify(slow));
  });

  it('counts a request whose body is refused, with the status that its client got', async () => {
    for (const [path, endpoint] of [
      ['/query', 'query_vectors'],
      ['/a/search', 'search_records'],
    ] as const) {
      assert.equal(await send(path, 'x'.repeat(5 * 1024 * 1024)), 413);
      assert.deepEqual(outcomes(), [`a-index ${endpoint} 413`]);
    }
  });

  it('counts no request whose client leaves in the middle of its body', async () => {
    counted = [];
    server.logLines.length = 0;
    const { hostname, port } = new URL(server.indexBase);
    for (const path of ['/query', '/a/search']) {
      const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}:${port}\r\napi-key: ${KEY_A}`;
      const socket = connectSocket(Number(port), hostname);
      socket.write(`${head}\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n`);
      // The server has begun with it.
      await once(socket, 'data');
      socket.write('{', () => socket.destroy());
    }
    const isLogged = () => server.logLines.filter((line) => line.includes('"cutOff":true')).length === 2;
    await until(isLogged, 'the lines in the log');
    assert.deepEqual(outcomes(), []);
  });

  it('counts as overloads the bodies and answers that find no memory', async (test) => {
    const small = await startTestServer({
      settings: { bodyMebibytesMax: 1 },
      meter: { add: (...each) => counted.push(each) },
      data: [dataEndpoint({ id: 'query_vectors', method: 'POST', path: '/query' }), search],
    });
    test.after(() => small.server.stop());
    const bodies = [
      { path: '/query', body: 'x'.repeat(MEBIBYTE + 1), answer: '' },
      { path: '/query', body: '{}', answer: 'x'.repeat(MEBIBYTE + 1) },
    ];
    for (const { path, body, answer } of bodies) {
      counted = [];
      small.executor.answer = async () => ({ status: 200, headers: {}, body: answer });
      const headers = { 'api-key': KEY_A };
      const sent = await fetch(`${small.indexBase}${path}`, { method: 'POST', headers, body });
      assert.equal(sent.status, 429);
      assert.deepEqual(outcomes(), ['a-index query_vectors 429']);
      assert.equal(counted[0]?.[2].condition, 'overloaded');
    }
  });

  it('counts a gRPC call as its endpoint, with the status that it was sent', async () => {
    const call = async (answer: TestServer['executor']['answer'], headers: Record<string, string> = {}) => {
      counted = [];
      server.executor.answer = answer;
      const session = connect(server.indexBase);
      const stream = session.request({
        ':method': 'POST',
        ':path': '/VectorService/Query',
        'content-type': 'application/grpc',
        te: 'trailers',
        'api-key': KEY_A,
        ...headers,
      });
      stream.end(Buffer.alloc(5)).resume();
      await new Promise((resolve) => stream.once('close', resolve));
      session.close();
    };
    await call(async () => {
      throw overloaded();
    });
    assert.deepEqual(outcomes(), ['a-index query_vectors 429']);
    const late = Promise.withResolvers<DataAnswer>();
    await call(() => late.promise, { 'grpc-timeout': '20m' });
    late.resolve({ status: 200, headers: {}, body: '' });
    await new Promise(setImmediate);
    assert.deepEqual(outcomes(), ['a-index query_vectors 504']);
  });
});
