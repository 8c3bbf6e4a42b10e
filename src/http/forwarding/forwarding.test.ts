// Forwarding between two servers in one process: once, with the caller's credential, its body and the whole answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { NodeMeter } from '../../app/monitoring/node-meter.ts';
import type { Index } from '../../domain/index-model.ts';
import type { Node } from '../../domain/nodes/node.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { HANG_MS, inTime, until } from '../../platform/testing/until.ts';
import { fakeIndex } from '../testing/fakes.ts';
import { KEY_A, KEY_B, PROJECT_IDS, startTestServer, type TestServer } from '../testing/start-test-server.ts';
import { Forwarding } from './forwarding.ts';
import { NodeCalls } from './node-calls.ts';
import { REQUESTS_MAX } from './node-connections.ts';
import { OfferedExports } from './offered-exports.ts';

const SECRET = 'node-secret-0123456789abcdefghijklmnopqrstuv';
/** Longer than a busy machine stands still. */
const REQUEST_SECONDS = 2;
const NAMES = ['one', 'two'] as const;
type Name = (typeof NAMES)[number];

const INDEX: Index = fakeIndex({
  id: 'shared',
  projectId: PROJECT_IDS.a,
  placement: { nodeId: 'two', epoch: 1 },
});

describe('forwarding', () => {
  const nodes = new Map<string, Node>();
  const servers = new Map<Name, TestServer>();
  /** Of requests, by node. */
  const spans: { readonly name: Name; readonly own: string; readonly parent: string | undefined }[] = [];
  const tracingOf = (name: Name): Tracing => ({
    start: (_, { kind, parent }) => {
      const own = String(spans.length + 1).padStart(16, '0');
      if (kind === 'server') spans.push({ name, own, parent: parent?.spanId });
      const traceId = parent?.traceId ?? '1'.repeat(32);
      return { context: { traceId, spanId: own, isSampled: true }, end: () => undefined };
    },
    close: async () => undefined,
  });
  let isHeld = true;
  const meter = new NodeMeter();
  const failures = () => meter.counts.forwardFailures.reduce((sum, { count }) => sum + count, 0);

  const at = (name: Name): TestServer => {
    const server = servers.get(name);
    assert.ok(server);
    return server;
  };

  before(async () => {
    for (const name of NAMES) {
      const forwarding = new Forwarding({
        selfId: name,
        secret: SECRET,
        isHeld: () => isHeld,
        find: (id) => nodes.get(id),
        choose: () => nodes.get('two') ?? null,
        indexByName: (projectId, index) => at(name).directory.byName(projectId, index),
        assistantNode: async () => null,
        catchUp: () => Promise.resolve(),
        logger: pino({ level: 'silent' }),
        meter,
        times: { connectMs: 500, pauseMs: 100, probeMs: 500 },
      });
      const settings = { publicDomain: 'example.org', requestSeconds: REQUEST_SECONDS };
      const server = await startTestServer({ forwarding, settings, tracing: tracingOf(name) });
      server.directory.hosts.set('shared.example.org', INDEX);
      servers.set(name, server);
      nodes.set(name, {
        id: name,
        address: server.base,
        release: '1',
        seenAt: '',
        isAlive: true,
        isDraining: false,
        placed: 0,
        memoryFreeBytes: 1,
        diskFreeBytes: 1,
      });
    }
  });
  after(async () => {
    for (const server of servers.values()) await server.server.stop();
  });

  const ask = (name: Name, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) =>
    fetch(`${at(name).base}/data/shared/query`, {
      method: 'POST',
      headers: { 'api-key': KEY_A, 'content-type': 'application/json', ...headers },
      body: '{"topK":3}',
      ...init,
    });

  it('has the node of an index answer, with the body as sent and the id of the request', async () => {
    const body = JSON.stringify({ topK: 3, filler: 'x'.repeat(1_000_000) });
    const answer = await ask('one', {}, { body });
    assert.deepEqual([answer.status, await answer.text()], [200, '{"fine":true}']);
    assert.equal(at('one').executor.calls.length, 0);
    const call = at('two').executor.calls.at(-1);
    assert.equal(Buffer.concat(call?.body ?? []).toString(), body);
    assert.equal(answer.headers.get('x-request-id'), call?.requestId);
    assert.equal((await ask('two')).status, 200);
    assert.equal(at('two').executor.calls.length, 2);
  });

  it("makes the spans of the answering node parts of the forwarding node's", async () => {
    const client = 'c'.repeat(16);
    spans.length = 0;
    await ask('one', { traceparent: `00-${'a'.repeat(32)}-${client}-01` });
    const [forwarder, answerer] = spans;
    assert.deepEqual([forwarder?.name, forwarder?.parent], ['one', client]);
    assert.deepEqual([answerer?.name, answerer?.parent], ['two', forwarder?.own]);
  });

  it('authenticates and authorizes before it forwards', async () => {
    // Not all lines: the other node also looks whether this one lives.
    const refused = () => at('two').logLines.filter((line) => /"status":40[14]\b/.test(line)).length;
    const before = refused();
    assert.equal((await ask('one', { 'api-key': 'wrong' })).status, 401);
    assert.equal((await ask('one', { 'api-key': KEY_B })).status, 404);
    assert.equal(refused(), before);
  });

  it('takes nobody for a node who does not know the secret, and no credential from one who does', async () => {
    assert.equal((await ask('two', { 'x-pinyon-node-secret': `${SECRET}x` })).status, 401);
    assert.equal((await ask('two', { 'x-pinyon-forwarded-id': 'mine' })).status, 401);
    const unknown = { 'x-pinyon-node-secret': SECRET, 'api-key': 'wrong' };
    assert.equal((await ask('two', unknown)).status, 401);
    assert.ok([...at('one').logLines, ...at('two').logLines].every((line) => !line.includes(SECRET)));
  });

  it('sends a request to the node of the index alone, whatever host its first line names', async (test) => {
    const reached: (string | undefined)[] = [];
    const elsewhere = createServer((asked, answer) => {
      reached.push(asked.url);
      answer.end('{"fine":false}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    test.after(() => elsewhere.close());
    const { port } = elsewhere.address() as AddressInfo;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(at('one').base, {
      method: 'POST',
      path: `http://127.0.0.1:${port}/query`,
      headers: { host: 'shared.example.org', 'api-key': KEY_A, 'content-type': 'application/json' },
    });
    sent.once('response', resolve).once('error', reject).end('{"topK":3}');
    const answer = await promise;
    assert.deepEqual([answer.statusCode, await text(answer)], [200, '{"fine":true}']);
    assert.deepEqual(reached, []);
  });

  it('takes nothing of the next request for the body of one that may have none', async () => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(`${at('one').base}/data/shared/vectors/fetch?ids=1`, {
      headers: { 'api-key': KEY_A, 'content-length': '5' },
    });
    sent.once('response', resolve).once('error', reject).end('hello');
    const answer = await promise;
    assert.equal(answer.statusCode, 200, await text(answer));
    for (let i = 0; i < 2; i++) assert.equal((await ask('one')).status, 200);
  });

  it('forwards nothing twice', async () => {
    const answer = await ask('one', { 'x-pinyon-node-secret': SECRET });
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
  });

  it('answers 503 for nodes that are dead, and where its own lease has ended', async () => {
    const two = nodes.get('two');
    assert.ok(two);
    nodes.set('two', { ...two, isAlive: false });
    const dead = await ask('one');
    assert.equal(dead.status, 503);
    assert.ok((await dead.text()).includes(two.address));
    nodes.set('two', { ...two, address: 'http://127.0.0.1:9' });
    assert.equal((await ask('one')).status, 503, 'its lease has not ended yet');
    nodes.set('two', two);
    const health = async () => (await fetch(`${at('two').base}/health`)).status;
    assert.equal(await health(), 200);
    isHeld = false;
    assert.equal((await ask('two')).status, 503);
    assert.equal((await ask('one')).status, 503);
    assert.equal(await health(), 503, 'load balancers pass it by');
    assert.equal((await fetch(`${at('two').base}/health/live`)).status, 200);
    isHeld = true;
    assert.equal((await ask('one')).status, 200);
    assert.equal(await health(), 200);
  });

  it('deletes and configures here what a dead node has, and asks a living one', async () => {
    const [one, two] = [nodes.get('one'), nodes.get('two')];
    assert.ok(one && two);
    let isAlive = true;
    const forwarding = new Forwarding({
      selfId: 'one',
      secret: SECRET,
      isHeld: () => true,
      find: (id) => (id === 'two' ? { ...two, isAlive } : one),
      choose: () => null,
      indexByName: () => INDEX,
      assistantNode: async () => null,
      catchUp: () => Promise.resolve(),
      logger: pino({ level: 'silent' }),
      meter: new NodeMeter(),
    });
    const asked = { params: { index_name: 'shared' }, query: {}, raw: {}, access: null };
    const destinationOf = (id: string) =>
      forwarding.destinationOf(
        asked as unknown as FastifyRequest,
        { id, path: '/indexes/{index_name}' },
        false,
      );
    for (const id of ['delete_index', 'configure_index'])
      assert.deepEqual(await destinationOf(id), { ...two, isAlive: true });
    isAlive = false;
    for (const id of ['delete_index', 'configure_index']) assert.equal(await destinationOf(id), null);
    assert.throws(() => destinationOf('read_history'), { condition: 'node-unavailable' });
  });

  it('refuses the request that is one too many for a node, and lives on when the connections end', async () => {
    const connections = at('one').forwarding?.connections;
    const two = nodes.get('two');
    assert.ok(connections && two);
    for (let i = 0; i < REQUESTS_MAX; i++) connections.enter(two, () => undefined);
    assert.equal((await ask('one')).status, 429);
    const calls = new NodeCalls({
      selfId: 'one',
      exports: new OfferedExports(),
      secret: SECRET,
      connections,
    });
    await assert.rejects(calls.refresh(two), { condition: 'overloaded' });
    // A request that had been made before it was refused would fail now, with nobody to hear of it.
    connections.follow([{ ...two, isAlive: false }]);
    await new Promise((done) => setTimeout(done, 20));
    assert.equal((await ask('one')).status, 200);
  });

  it('forwards nothing for a client that has gone, and keeps no permit of it', {
    timeout: HANG_MS,
  }, async () => {
    const two = nodes.get('two');
    const { forwarding } = at('one');
    assert.ok(forwarding && two);
    const raw = new IncomingMessage(new Socket());
    raw.headers = { 'api-key': KEY_A };
    const gone = new ServerResponse(raw);
    gone.destroy();
    await once(gone, 'close');
    const exchange = {
      request: { raw, headers: raw.headers, id: 'r', trace: null },
      reply: { raw: gone },
      answerMs: 1_000,
    };
    const sent = forwarding.send(exchange as unknown as Parameters<Forwarding['send']>[0], two);
    await assert.rejects(sent, { condition: 'invalid-argument' });
    const leaves = Array.from({ length: REQUESTS_MAX }, () =>
      forwarding.connections.enter(two, () => undefined),
    );
    for (const leave of leaves) leave();
  });

  it('cuts off a client that stops reading what another node answers, and frees its permit', async (test) => {
    const endless = createServer((_, answer) => {
      const fill = () => {
        while (answer.write(Buffer.alloc(65_536)));
      };
      answer.on('drain', fill);
      fill();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const two = nodes.get('two');
    assert.ok(two);
    test.after(() => {
      endless.closeAllConnections();
      endless.close();
      nodes.set('two', two);
    });
    const { port } = endless.address() as AddressInfo;
    nodes.set('two', { ...two, address: `http://127.0.0.1:${port}` });
    const left = new Promise((resolve) => {
      endless.once('connection', (socket) => socket.on('error', () => undefined).once('close', resolve));
    });
    const sent = request(`${at('one').base}/data/shared/vectors/fetch?ids=1`, {
      headers: { 'api-key': KEY_A },
    });
    sent.on('error', () => undefined).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined).pause();
    assert.equal(answer.statusCode, 200);
    await inTime(left, 'the end of the connection to the node');
    sent.destroy();
  });

  /** A node that takes connections and never answers, as one does behind a network that loses everything. */
  async function silence(test: Pick<TestContext, 'after'>, scheme: 'http' | 'https'): Promise<void> {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const two = nodes.get('two');
    assert.ok(two);
    const { port } = silent.address() as AddressInfo;
    nodes.set('two', { ...two, address: `${scheme}://127.0.0.1:${port}` });
    test.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      nodes.set('two', two);
    });
  }

  for (const scheme of ['http', 'https'] as const)
    it(`answers 503 within seconds where the node cannot be reached, and counts it, by ${scheme}`, {
      timeout: 10_000,
    }, async (test) => {
      await silence(test, scheme);
      const before = failures();
      const answer = await ask('one');
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '1');
      assert.equal(failures(), before + 1);
    });

  it('counts requests to a node that cannot be reached, also where clients do not wait so long', {
    timeout: 10_000,
  }, async (test) => {
    await silence(test, 'http');
    const before = failures();
    const { connections } = at('one').forwarding ?? assert.fail();
    const entered = test.mock.method(connections, 'enter');
    for (let i = 1; i <= 3; i++) {
      const client = new AbortController();
      const answer = ask('one', {}, { signal: client.signal });
      const isUnderWay = () => entered.mock.callCount() === i;
      await until(isUnderWay, 'the request to the node');
      client.abort();
      await assert.rejects(answer, { name: 'AbortError' });
    }
    await until(async () => failures() === before + 3, 'the count');
  });

  it('waits for an answer that takes long from a node that can be reached', async () => {
    const { executor } = at('two');
    const usual = executor.answer;
    executor.answer = async (call) => {
      await sleep(2_000);
      return usual(call);
    };
    const before = failures();
    assert.equal((await ask('one')).status, 200);
    assert.equal(failures(), before);
    executor.answer = usual;
  });

  it('cuts a request off whose node is found dead', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { executor } = at('two');
    const usual = executor.answer;
    executor.answer = async (call) => {
      resolve();
      await new Promise((done) => setTimeout(done, 60_000).unref());
      return usual(call);
    };
    const asked = ask('one');
    await promise;
    at('one').forwarding?.connections.follow([{ ...(nodes.get('two') as Node), isAlive: false }]);
    assert.equal((await asked).status, 503);
    executor.answer = usual;
    assert.equal((await ask('one')).status, 200);
  });
});
