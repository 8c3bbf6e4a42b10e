// Guarantees of the data application: which caller reaches which index, and what the engine receives.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault, fault } from '../domain/faults.ts';
import { until } from '../platform/testing/until.ts';
import { dataEndpoint, fakeIndex } from './testing/fakes.ts';
import { http2Request } from './testing/raw-client.ts';
import { KEY_A, KEY_B, startTestServer } from './testing/start-test-server.ts';

type TestServer = Awaited<ReturnType<typeof startTestServer>>;

let server: TestServer;
before(async () => {
  server = await startTestServer({ settings: { drainSeconds: 1, publicDomain: 'vectors.example.org' } });
});
after(() => server.server.stop());

const query = (url: string, key: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/query`, { method: 'POST', body: '{}', headers: { 'api-key': key, ...headers } });

/** Everything of a response but its id and time. */
async function bytesOf(answer: Response): Promise<unknown> {
  const headers = [...answer.headers].filter(([name]) => !/request-id|date/.test(name));
  return { status: answer.status, headers, text: await answer.text() };
}

test('passes the whole call to the engine: access, index, version, path parameters, query and raw body', async () => {
  const bytes = Uint8Array.of(0, 255, 1, 2);
  const answer = await fetch(`${server.indexBase}/records/namespaces/na%2Fme/upsert?one=1&many=a&many=b`, {
    method: 'POST',
    body: bytes,
    headers: {
      'api-key': KEY_A,
      'x-pinecone-api-version': '2025-10',
      'content-type': 'application/x-ndjson',
    },
  });
  assert.equal(answer.status, 200);
  const call = server.executor.calls.at(-1);
  assert.equal(call?.endpointId, 'upsert_records');
  assert.deepEqual(call?.access, { organizationId: 'org', projectId: 'project-a', principalId: 'key-a' });
  assert.equal(call?.index.id, 'a-index');
  assert.equal(call?.version, '2025-10');
  assert.deepEqual({ ...call?.params }, { namespace: 'na/me' });
  assert.deepEqual({ ...call?.query }, { one: '1', many: ['a', 'b'] });
  assert.deepEqual(Buffer.concat(call?.body ?? []), Buffer.from(bytes));
  assert.equal(call?.requestId, answer.headers.get('x-request-id'));
});

test('takes no path that ends without its namespace for one that names the default one', async (context) => {
  const path = '/namespaces/{namespace}';
  const strict = await startTestServer({
    data: [dataEndpoint({ id: 'delete_namespace', method: 'DELETE', path })],
  });
  context.after(() => strict.server.stop());
  const base = `${strict.indexBase}/namespaces`;
  const remove = (url: string) => fetch(url, { method: 'DELETE', headers: { 'api-key': KEY_A } });
  for (const url of [`${base}/`, `${base}/.`, `${base}/%2e`, `${base}/..`, `${base}/?a=b`, `${base}//`]) {
    assert.equal((await remove(url)).status, 404, url);
  }
  assert.equal(strict.executor.calls.length, 0);
  assert.equal((await remove(`${base}/one`)).status, 200);
});

test('runs no search within a request before the quotas of its caller have room for it', async (context) => {
  const asked: string[] = [];
  const room = Promise.withResolvers<void>();
  const limited = await startTestServer({
    awaitRequest: async ({ projectId, principalId }) => {
      asked.push(`${projectId} ${principalId}`);
      if (asked.length === 2) await room.promise;
    },
    bulk: [
      {
        ...dataEndpoint({ id: 'score', method: 'POST', path: '/score' }),
        handle: async ({ search }) => {
          for (const id of ['a', 'b']) await search({ endpointId: 'query', params: {}, body: { id } });
          return { status: 200, body: {} };
        },
      },
    ],
  });
  context.after(() => limited.server.stop());
  const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
  const answer = fetch(`${limited.indexBase}/score`, { method: 'POST', body: '{}', headers });
  await until(() => asked.length === 2, 'the second search');
  assert.equal(limited.executor.calls.length, 1);
  room.resolve();
  assert.equal((await answer).status, 200);
  assert.deepEqual([asked, limited.executor.calls.length], [Array(2).fill('project-a key-a'), 2]);
});

test('counts a write as received, and embeds none that exceeds a quota', async (context) => {
  const arrived: unknown[] = [];
  let embedded = 0;
  const limited = await startTestServer({
    data: [
      {
        ...dataEndpoint({ id: 'upsert_records', method: 'POST', path: '/records/upsert' }),
        preprocess: async ({ body, run }) => {
          await Array.fromAsync(body);
          embedded++;
          return run([new Uint8Array(1_000)]);
        },
      },
    ],
    admitBody: ({ endpointId, access, bytes }) => {
      arrived.push([endpointId, access.principalId, bytes]);
      if (bytes > 5) throw fault('quota-exceeded', { max: 5, what: 'bytes' });
    },
  });
  context.after(() => limited.server.stop());
  const write = async (body: string) => {
    const sent = { method: 'POST', body, headers: { 'api-key': KEY_A } };
    return (await fetch(`${limited.indexBase}/records/upsert`, sent)).status;
  };
  assert.deepEqual([await write('12345'), await write('123456')], [200, 429]);
  assert.equal(embedded, 1);
  assert.deepEqual(arrived, [
    ['upsert_records', 'key-a', 5],
    ['upsert_records', 'key-a', 6],
  ]);
});

test("responds with the engine's status, headers and bytes", async () => {
  const answerBefore = server.executor.answer;
  server.executor.answer = async () => ({
    status: 201,
    headers: { 'x-pinecone-max-indexed-lsn': '7', 'content-type': 'application/json; charset=utf-8' },
    body: new TextEncoder().encode('{"ü":1}'),
  });
  const answer = await query(server.indexBase, KEY_A);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers.get('x-pinecone-max-indexed-lsn'), '7');
  assert.equal(await answer.text(), '{"ü":1}');
  server.executor.answer = async () => ({ status: 200, headers: {}, body: '' });
  assert.equal(await (await query(server.indexBase, KEY_A)).text(), '');
  server.executor.answer = answerBefore;
});

test('frees a large body once it is sent whole, and leaves small ones alone', async () => {
  const answerBefore = server.executor.answer;
  for (const [length, isFreed] of [
    [4_000_000, true],
    [10, false],
  ] as const) {
    const body = new Uint8Array(length).fill(0x61);
    server.executor.answer = async () => ({ status: 200, headers: {}, body });
    const answer = await query(server.indexBase, KEY_A);
    assert.equal(await answer.text(), 'a'.repeat(length));
    if (isFreed) await until(() => body.buffer.detached, 'the end of the body');
    assert.equal(body.buffer.detached, isFreed);
  }
  server.executor.answer = answerBefore;
});

test('responds 429 with retry-after for an overloaded engine, in the family of the endpoint', async () => {
  const answerBefore = server.executor.answer;
  server.executor.answer = async () => {
    throw new Fault('overloaded', 'Too many requests are waiting. Retry after 1 s.', {
      retryAfterSeconds: 1,
    });
  };
  const answer = await query(server.indexBase, KEY_A);
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get('retry-after'), '1');
  assert.partialDeepStrictEqual(await answer.json(), {
    code: 8,
    message: 'Too many requests are waiting. Retry after 1 s.',
    details: [],
  });
  server.executor.answer = async () => {
    throw new Error('a thread crashed');
  };
  const broken = await query(server.indexBase, KEY_A);
  assert.equal(broken.status, 500);
  assert.partialDeepStrictEqual(await broken.json(), {
    code: 2,
    message: 'Internal server error',
    details: [],
  });
  server.executor.answer = answerBefore;
});

test("sends another project's key the same bytes as at a port without an index", async () => {
  const port = await server.openIndex({ id: 'going', projectId: 'project-a' });
  const url = `http://127.0.0.1:${port}`;
  const foreign = await bytesOf(await query(url, KEY_B));
  server.directory.ports.set(port, fakeIndex({ id: 'going', projectId: 'project-a', state: 'Terminating' }));
  const terminating = await bytesOf(await query(url, KEY_A));
  server.directory.ports.delete(port);
  const absent = await bytesOf(await query(url, KEY_B));
  assert.deepEqual(foreign, absent);
  assert.deepEqual(terminating, absent);
  assert.partialDeepStrictEqual(JSON.parse((absent as { text: string }).text), {
    code: 5,
    message: `No index is served at 127.0.0.1:${port}.`,
    details: [],
  });
});

test('responds 503 for an index that is not ready, to its own project only', async () => {
  const port = await server.openIndex({ id: 'young', projectId: 'project-a', state: 'Initializing' });
  const own = await query(`http://127.0.0.1:${port}`, KEY_A);
  assert.equal(own.status, 503);
  assert.match(await own.text(), /Index young is not ready yet\./);
  assert.equal((await query(`http://127.0.0.1:${port}`, KEY_B)).status, 404);
});

test('responds as for an unknown index when it is deleted while the request is read', async (test) => {
  const port = await server.openIndex({ id: 'gone', projectId: 'project-a' });
  const found = Promise.withResolvers<void>();
  test.mock.method(server.directory, 'byPort', (requestedPort: number) => {
    if (requestedPort === port) found.resolve();
    return server.directory.ports.get(requestedPort);
  });
  async function* body() {
    // Nothing is sent before there is a piece of the body.
    yield '{';
    await found.promise;
    server.directory.ports.delete(port);
    yield '}';
  }
  const content = ReadableStream.from(body()).pipeThrough(new TextEncoderStream());
  const init = { method: 'POST', body: content, duplex: 'half', headers: { 'api-key': KEY_A } };
  const answer = await fetch(`http://127.0.0.1:${port}/query`, init as RequestInit);
  assert.equal(answer.status, 404);
});

test('sends both error bodies for records calls in every version, and the standard one for authentication', async () => {
  const url = `http://127.0.0.1:${await server.openIndex({ id: 'b-index', projectId: 'project-b' })}`;
  const ask = async (version: string, key = KEY_A): Promise<object> => {
    const headers = { 'api-key': key, 'x-pinecone-api-version': version };
    const answer = await fetch(`${url}/records/namespaces/n/upsert`, { method: 'POST', headers });
    return JSON.parse(await answer.text());
  };
  const both = ['status', 'error', 'code', 'message', 'details'];
  assert.deepEqual(Object.keys(await ask('2026-04')), both);
  assert.deepEqual(Object.keys(await ask('2026-07')), both);
  assert.deepEqual(Object.keys(await ask('2026-04', 'wrong')), ['status', 'error']);
});

test('routes an index host name on the base port to its index, over HTTP/1.1 and HTTP/2', async () => {
  const host = 'books-abc1234.vectors.example.org';
  server.directory.hosts.set(host, fakeIndex({ id: 'books', projectId: 'project-a' }));
  for (const authority of [host, `${host}:5080`, `${host.toUpperCase()}.`]) {
    const { headers } = await http2Request(server.base, {
      headers: { ':method': 'POST', ':path': '/query', ':authority': authority, 'api-key': KEY_A },
      body: '{}',
    });
    assert.equal(headers[':status'], 200, authority);
    assert.equal(server.executor.calls.at(-1)?.index.id, 'books');
  }
  const { request } = await import('node:http');
  const status = await new Promise((resolve) => {
    request(
      `${server.base}/vectors/fetch`,
      { headers: { host, 'api-key': KEY_A }, agent: false },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    ).end();
  });
  assert.equal(status, 200);
});

test('serves the control plane at any host name but those of the domain without an index', async () => {
  const ask = async (authority: string, key: string) => {
    const { headers, body } = await http2Request(server.base, {
      headers: { ':path': '/vectors/fetch', ':authority': authority, 'api-key': key },
    });
    return { status: headers[':status'], message: JSON.stringify(JSON.parse(body)) };
  };
  const unknown = await ask('nothing.vectors.example.org', KEY_A);
  assert.equal(unknown.status, 404);
  assert.match(unknown.message, /No index is served at nothing\.vectors\.example\.org/);
  assert.equal((await ask('nothing.vectors.example.org', 'wrong')).status, 401);
  for (const authority of ['localhost', 'vectors.example.org', 'evilvectors.example.org']) {
    assert.match((await ask(authority, KEY_A)).message, /No such path/, authority);
  }
});

test('leaves a port of another process alone', async () => {
  const other = await startTestServer({ settings: { drainSeconds: 1 } });
  const { port } = other;
  await assert.rejects(server.server.ports.listen(port), { code: 'EADDRINUSE' });
  await other.server.stop();
  await server.server.ports.listen(port);
  await server.server.ports.close(port);
});
