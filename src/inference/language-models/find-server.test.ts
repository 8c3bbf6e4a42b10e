// Servers of language models on this machine, as Ollama, LM Studio, llama.cpp and vLLM answer.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { findServer, USUAL_SERVERS } from './find-server.ts';

async function serverOf(status: number, body: string) {
  const server = createServer((request, response) => {
    const isList = request.url === '/v1/models';
    response
      .writeHead(isList ? status : 404, { 'content-type': 'application/json' })
      .end(isList ? body : '{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const list = (...data: object[]) => JSON.stringify({ object: 'list', data });
const CLOSED = { name: 'closed', url: 'http://127.0.0.1:1/v1' };

test('finds each kind of server, and the first of its models that chats', async () => {
  const cases = [
    [
      'Ollama',
      list(
        { id: 'nomic-embed-text:latest', owned_by: 'library' },
        { id: 'llama3.1:8b', owned_by: 'library' },
      ),
      'llama3.1:8b',
    ],
    [
      'LM Studio',
      list({ id: 'text-embedding-bge-m3', owned_by: 'organization_owner' }, { id: 'qwen3-4b' }),
      'qwen3-4b',
    ],
    ['llama.cpp', list({ id: 'model.gguf', owned_by: 'llamacpp' }), 'model.gguf'],
    [
      'vLLM',
      list({ id: 'mistralai/Mistral-7B', owned_by: 'vllm', max_model_len: 32_768 }),
      'mistralai/Mistral-7B',
    ],
  ] as const;
  for (const [name, body, model] of cases) {
    const url = await serverOf(200, body);
    const found = await findServer([CLOSED, { name, url }]);
    assert.deepEqual([found?.name, found?.url, found?.model], [name, url, model]);
  }
});

test('passes over servers that list no model for chats, and finds none where there is none', async () => {
  const others = await Promise.all([
    serverOf(200, list({ id: 'all-minilm' }, { id: 'bge-m3' })),
    serverOf(200, '<html>'),
    serverOf(401, '{}'),
    serverOf(200, list()),
  ]);
  const servers = others.map((url) => ({ name: 'other', url }));
  assert.equal(await findServer([CLOSED, ...servers]), null);
  const url = await serverOf(200, list({ id: 'phi4' }));
  assert.equal((await findServer([...servers, { name: 'last', url }]))?.model, 'phi4');
});

test('asks this machine only', () => {
  assert.ok(USUAL_SERVERS.every(({ url }) => new URL(url).hostname === '127.0.0.1'));
});
