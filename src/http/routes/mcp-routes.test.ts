// The bounds of the MCP server: messages at the same time, clients that leave, and a server that stops.
import assert from 'node:assert/strict';
import { connect, constants } from 'node:http2';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import type { AssistantEndpoint } from '../../api/rest/assistants/assistant-endpoint.ts';
import { chat } from '../../api/rest/assistants/chat/chat.ts';
import { dataRoutes } from '../../api/rest/data-routes.ts';
import { NodeMeter } from '../../app/monitoring/node-meter.ts';
import { Forwarding } from '../forwarding/forwarding.ts';
import { controlEndpoint } from '../testing/fakes.ts';
import { KEY_A, KEY_B, startTestServer } from '../testing/start-test-server.ts';

const ASKED = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'assistant_chat', arguments: { assistant: 'a', question: 'Why?' } },
};
/** With what Unicode, but neither JSON nor events take for the end of a line. */
const CONTENT = 'Because\u2028of\u2029\u0085that.';
const ANSWER = { message: { content: CONTENT }, citations: [], finish_reason: 'stop' };
/** As many as one key may have answered at the same time. */
const OF_CALLER = 16;

/** A server whose assistants answer when they are told to. */
async function slowServer(settings: Parameters<typeof startTestServer>[0] = {}) {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const endpoint: AssistantEndpoint = {
    ...chat,
    kind: 'json',
    handle: async ({ signal }) => {
      signals.push(signal);
      await told;
      return { status: 200, body: ANSWER };
    },
  };
  const server = await startTestServer({ assistant: [endpoint], ...settings });
  const ask = (key = KEY_A, signal?: AbortSignal) =>
    fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(ASKED),
      ...(signal && { signal }),
    });
  const begun = async (count: number) => {
    while (signals.length < count) await pause(10);
  };
  return { ...server, ask, begun, tell, signals };
}

test('answers a bounded number of messages of one key at the same time, and others meanwhile', async () => {
  const { ask, begun, tell, server } = await slowServer();
  const waiting = Array.from({ length: OF_CALLER }, () => ask());
  await begun(OF_CALLER);
  const refused = await ask();
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.match(await refused.text(), /"jsonrpc":"2.0"/);
  const other = ask(KEY_B);
  await begun(OF_CALLER + 1);
  tell();
  for (const answer of await Promise.all([...waiting, other])) assert.match(await answer.text(), /Because/);
  assert.equal((await ask()).status, 200);
  await server.stop();
});

test('answers a client without events by the whole message, whatever its texts contain', async () => {
  const { ask, tell, server } = await slowServer();
  tell();
  const { result } = (await (await ask()).json()) as {
    readonly result: { readonly structuredContent: object };
  };
  assert.match(JSON.stringify(result.structuredContent), new RegExp(CONTENT));
  await server.stop();
});

test("logs the requests of a tool in the caller's trace", async () => {
  const { base, logLines, tell, server } = await slowServer();
  tell();
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const headers = { 'api-key': KEY_A, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const type = { 'content-type': 'application/json' };
  await fetch(`${base}/mcp`, {
    method: 'POST',
    headers: { ...headers, ...type },
    body: JSON.stringify(ASKED),
  });
  await server.stop();
  assert.equal(logLines.filter((line) => line.includes(traceId)).length, 2);
});

test('ends the work for a client that leaves', async () => {
  const { ask, begun, tell, signals, server } = await slowServer();
  const leaving = new AbortController();
  const asked = ask(KEY_A, leaving.signal);
  await begun(1);
  leaving.abort();
  await assert.rejects(asked);
  while (signals[0]?.aborted !== true) await pause(10);
  tell();
  await server.stop();
});

test('keeps no place for clients that have left before their turn', async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<void>();
  let arrived = 0;
  const forwarding = new Forwarding({
    ...{ selfId: 'one', secret: 's'.repeat(43), logger: pino({ level: 'silent' }), meter: new NodeMeter() },
    ...{ isHeld: () => true, find: () => undefined, choose: () => null, indexByName: () => undefined },
    catchUp: () => Promise.resolve(),
    assistantNode: async () => {
      arrived++;
      await found;
      return null;
    },
  });
  const server = await startTestServer({ forwarding });
  const path = '/mcp/assistants/a';
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
  const session = connect(server.base);
  const asked = Array.from({ length: OF_CALLER }, () =>
    session.request({ ':method': 'POST', ':path': path, ...headers }),
  );
  for (const each of asked) each.on('error', () => undefined).end(body);
  while (arrived < OF_CALLER) await pause(10);
  for (const each of asked) each.close(constants.NGHTTP2_CANCEL);
  // Answered after the server has read what was sent before.
  await new Promise((resolve) => session.ping(resolve));
  session.close();
  find();
  const last = await fetch(`${server.base}${path}`, { method: 'POST', headers, body });
  assert.equal(last.status, 200, await last.text());
  await server.server.stop();
});

test('finishes what it has begun when it stops', async () => {
  const { ask, begun, tell, server } = await slowServer();
  const asked = ask();
  await begun(1);
  const stopped = server.stop();
  tell();
  assert.match(await (await asked).text(), /Because/);
  await stopped;
});

test('answers 404 where the setting turns it off', async () => {
  const { ask, tell, server } = await slowServer({ settings: { mcp: 'off' } });
  assert.equal((await ask()).status, 404);
  tell();
  await server.stop();
});

test('takes memory for what its tools read, until they have answered', async (context) => {
  const stats = JSON.stringify({ namespaces: {}, totalVectorCount: 1, more: 'x'.repeat(3 * 2 ** 20) });
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  let waiting = 0;
  const described = controlEndpoint(
    { id: 'describe_index', method: 'GET', path: '/indexes/{index_name}' },
    async () => ({ status: 200, body: { name: 'a-index', dimension: 3 } }),
  );
  const { server, base, executor } = await startTestServer({
    control: [described],
    data: dataRoutes,
    settings: { bodyMebibytesMax: 8 },
  });
  context.after(() => server.stop());
  executor.answer = async ({ endpointId }) => {
    if (endpointId === 'get_index_stats') return { status: 200, headers: {}, body: stats };
    waiting += 1;
    if (waiting <= 2) await told;
    return { status: 200, headers: {}, body: '{"namespaces":[],"total_count":0}' };
  };
  const params = { name: 'describe_index', arguments: { index: 'a-index' } };
  const ask = async () => {
    const body = JSON.stringify({ ...ASKED, params });
    const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
    return (await fetch(`${base}/mcp`, { method: 'POST', headers, body })).text();
  };
  const unfinished = [ask(), ask()];
  while (waiting < 2) await pause(10);
  assert.match(await ask(), /The service is busy/);
  tell();
  for (const text of await Promise.all(unfinished)) assert.match(text, /"records":1/);
  while (!/"records":1/.test(await ask())) await pause(10);
});

test('logs an unexpected error of a tool, and tells its caller nothing of it', async (context) => {
  const endpoint: AssistantEndpoint = {
    ...chat,
    kind: 'json',
    handle: async () => ({ status: 200, jsonText: 'no JSON at all' }),
  };
  const { server, base, logLines } = await startTestServer({ assistant: [endpoint] });
  context.after(() => server.stop());
  const headers = { 'api-key': KEY_A, 'content-type': 'application/json' };
  const answer = await fetch(`${base}/mcp`, { method: 'POST', headers, body: JSON.stringify(ASKED) });
  const text = await answer.text();
  assert.doesNotMatch(text, /no JSON|Unexpected token/);
  assert.match(text, /"isError":true/);
  assert.match(text, /"text":"Internal server error"/);
  const line = logLines.find((each) => each.includes('"msg":"request failed"')) ?? assert.fail();
  assert.match(line, /Unexpected token/);
  const { requestId } = JSON.parse(line) as { readonly requestId: string };
  assert.equal(requestId, answer.headers.get('x-request-id'));
});
