// Guarantees of stopping: running requests may finish, new ones are refused, and no client can delay the end.
import assert from 'node:assert/strict';
import { connect as connectHttp2 } from 'node:http2';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { HANG_MS, inTime, until } from '../platform/testing/until.ts';
import { openRaw } from './testing/raw-client.ts';
import { KEY_A, startTestServer } from './testing/start-test-server.ts';

/** Longer than anybody waits for a test: what does not end before it was not waiting for it. */
const ENDLESS_SECONDS = 86_400;

async function serverWithHeldQuery(drainSeconds: number) {
  const server = await startTestServer({ settings: { drainSeconds } });
  const release = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  server.executor.answer = async () => {
    running.resolve();
    await release.promise;
    return { status: 200, headers: {}, body: '{"late":true}' };
  };
  return { ...server, release: release.resolve, running: running.promise };
}

const query = (base: string) =>
  fetch(`${base}/query`, { method: 'POST', body: '{}', headers: { 'api-key': KEY_A } });

/** Connections that the kernel took before the port closed are served. */
async function refusesConnections(url: string): Promise<void> {
  await until(async () => (await connectError(Number(new URL(url).port))) === 'ECONNREFUSED', 'the refusal');
}

function connectError(port: number): Promise<string | undefined> {
  const { socket } = openRaw(port);
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}

/**
 * Sends requests from another thread while this one, and so the server, stands still: their bytes wait in the kernel.
 * @returns what the server answers to each
 */
function sendUnseen(port: number, requests: readonly string[]): Promise<readonly string[]> {
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(UNSEEN_CLIENT, { eval: true, workerData: { port, requests, sent } });
  const answers = new Promise<readonly string[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  while (sent[0] !== requests.length) Atomics.wait(sent, 0, sent[0] ?? 0, HANG_MS);
  return answers;
}

const UNSEEN_CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData: { port, requests, sent } } = require('node:worker_threads');
  const answers = requests.map((request) => new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(request, () => {
      Atomics.add(sent, 0, 1);
      Atomics.notify(sent, 0);
    }));
    socket.on('data', (chunk) => { text += chunk; });
    socket.on('error', ({ code }) => { text += code; });
    socket.on('close', () => resolve(text));
  }));
  Promise.all(answers).then((texts) => parentPort.postMessage(texts));
`;

test('finishes a running request, and stops right after it', async () => {
  const { server, indexBase, release, running } = await serverWithHeldQuery(ENDLESS_SECONDS);
  const answer = query(indexBase);
  await running;
  const stopped = server.stop();
  await refusesConnections(indexBase);
  release();
  assert.deepEqual(await (await answer).json(), { late: true });
  await inTime(stopped, 'the stop');
});

test('finishes a running HTTP/2 request too', async () => {
  const { server, indexBase, release, running } = await serverWithHeldQuery(ENDLESS_SECONDS);
  const session = connectHttp2(indexBase);
  const stream = session.request({ ':method': 'POST', ':path': '/query', 'api-key': KEY_A });
  stream.end('{}');
  await running;
  const stopped = server.stop();
  await refusesConnections(indexBase);
  release();
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text += chunk;
  assert.equal(text, '{"late":true}');
  await stopped;
});

test('refuses new connections on every port as soon as stopping begins', async () => {
  const { server, indexBase, base, release, running } = await serverWithHeldQuery(ENDLESS_SECONDS);
  const answer = query(indexBase);
  await running;
  const stopped = server.stop();
  for (const url of [base, indexBase]) await refusesConnections(url);
  release();
  await answer;
  await stopped;
});

test('sends 503 and connection: close to a new request on a kept connection; without a key still 401', async () => {
  const { server, port, indexBase, release, running } = await serverWithHeldQuery(ENDLESS_SECONDS);
  const keyed = openRaw(
    port,
    `GET /things HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\nGET /things HTTP/1.1\r\n`,
  );
  const keyless = openRaw(port, `GET /health HTTP/1.1\r\nhost: x\r\n\r\nGET /things HTTP/1.1\r\n`);
  await Promise.all(
    [keyed, keyless].map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))),
  );
  const answer = query(indexBase);
  await running;
  const stopped = server.stop();
  keyed.socket.write(`host: x\r\napi-key: ${KEY_A}\r\n\r\n`);
  keyless.socket.write('host: x\r\n\r\n');
  const response = (await keyed.closed).toString();
  assert.match(response, /HTTP\/1\.1 503 .*connection: close.*The server is shutting down/is);
  assert.match((await keyless.closed).toString(), /HTTP\/1\.1 401 /);
  release();
  await answer;
  await stopped;
});

test('answers requests that the kernel had taken when stopping began', async () => {
  const { server, port } = await startTestServer({ settings: { drainSeconds: ENDLESS_SECONDS } });
  const answers = sendUnseen(
    port,
    Array(5).fill(`GET /things HTTP/1.1\r\nhost: x\r\napi-key: ${KEY_A}\r\n\r\n`),
  );
  await inTime(server.stop(), 'the stop');
  for (const answer of await answers) {
    assert.match(answer, /^HTTP\/1\.1 503 .*connection: close.*The server is shutting down/is);
  }
});

test('cuts off a request that does not end in time', async () => {
  const { server, indexBase, running, logLines } = await serverWithHeldQuery(0.2);
  const answer = query(indexBase);
  await running;
  const outcome = assert.rejects(answer);
  await inTime(server.stop(), 'the stop');
  await outcome;
  assert.ok(logLines.some((line) => line.includes('cut off at the end of the drain time')));
});

test('ends without waiting for idle, silent and half-sent connections', async () => {
  const { server, port, indexPort } = await startTestServer({ settings: { drainSeconds: ENDLESS_SECONDS } });
  const health = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n';
  const idle = openRaw(port, health);
  await new Promise((resolve) => idle.socket.once('data', resolve));
  const others = [openRaw(port), openRaw(indexPort, 'GET / HT'), openRaw(port, 'PR')];
  await Promise.all(others.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
  await inTime(server.stop(), 'the stop');
  await inTime(Promise.all([idle, ...others].map(({ closed }) => closed)), 'the closing');
});
