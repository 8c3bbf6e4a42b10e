// The reasons of refusals: in the provider's words, without secrets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ProviderError } from '../../provider-errors.ts';
import { postJson } from './post-json.ts';
import { refusalReason, shownReason } from './refusal-reason.ts';

const KEY = 'very-own-key';
const reasonOf = (body: unknown) =>
  refusalReason(new Response(typeof body === 'string' ? body : JSON.stringify(body)), KEY);

test('reads the reason in the forms that servers use, and nothing else', async () => {
  const reason = "This model's maximum context length is 4096 tokens";
  for (const body of [
    { error: { message: `${reason}.`, code: 400 } },
    { error: reason },
    { message: reason },
    { detail: reason },
  ]) {
    assert.equal(await reasonOf(body), reason);
  }
  for (const body of ['<html>', '[]', '{}', '', { error: {} }, { detail: [{ msg: 'x' }] }]) {
    assert.equal(await reasonOf(body), null);
  }
  assert.equal(await reasonOf({ message: 'x'.repeat(100_000) }), null);
});

test('waits for the reason for a bounded time only, also where a server sends nothing behind its headers', async () => {
  let closed: Promise<unknown> | undefined;
  const server = createServer((_, response) => {
    closed = once(response, 'close');
    response.writeHead(400, { 'content-type': 'application/json' });
    response.write('{"error": "at ');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}`);
  assert.equal(await refusalReason(response, KEY, 50), null);
  await closed;
});

test('reports a refusal as one also where its body breaks off', async () => {
  const server = createServer((_, response) => {
    response.writeHead(400);
    response.write('{"error": "at ', () => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const signal = new AbortController().signal;
  for (const givesReason of ['always', undefined] as const)
    await assert.rejects(
      postJson({ url, key: null, signal, ...(givesReason && { givesReason }) }),
      (error) => error instanceof ProviderError && error.kind === 'refused',
    );
});

test('hides keys, tokens, addresses and long runs, and shows one short line', () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    [`no\n\u001b[31m ${KEY}!`, 'no [31m [hidden]!'],
    ['Incorrect key sk-abc***xyz at http://10.0.0.7:80/v1', 'Incorrect key [hidden] at [hidden]'],
    ['Authorization: Bearer abcdef failed on 10.1.2.3:8000', 'Authorization: [hidden] failed on [hidden]'],
    [`hash ${'a1'.repeat(20)}`, 'hash [hidden]'],
  ];
  for (const [text, shown] of cases) assert.equal(shownReason(text, KEY), shown);
  assert.equal(shownReason('word '.repeat(500), null)?.length, 299);
  assert.equal(shownReason(' \n. ', null), null);
});
