// What servers of language models tell of their models, each in its own way.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ProviderListing } from './provider-listing.ts';

type Paths = Readonly<Record<string, object>>;

async function listingOf(paths: Paths, use: (listing: ProviderListing, asked: string[]) => Promise<void>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = paths[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'not found' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  try {
    await use(new ProviderListing({ baseUrl, apiKey: null }), asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const list = (...data: object[]) => ({ object: 'list', data });

const SERVERS: readonly (readonly [name: string, paths: Paths, model: string, tokens: number | null])[] = [
  ['vLLM', { '/v1/models': list({ id: 'm', owned_by: 'vllm', max_model_len: 4_096 }) }, 'm', 4_096],
  ['hosted servers', { '/v1/models': list({ id: 'm', context_window: 131_072 }) }, 'm', 131_072],
  [
    'llama.cpp',
    {
      '/v1/models': list({ id: 'm', owned_by: 'llamacpp', meta: { n_ctx_train: 131_072 } }),
      '/props': { default_generation_settings: { n_ctx: 2_048 } },
    },
    'm',
    2_048,
  ],
  [
    'LM Studio',
    {
      '/v1/models': list({ id: 'm', owned_by: 'organization_owner' }),
      '/api/v0/models': list({ id: 'm', max_context_length: 32_768, loaded_context_length: 4_000 }),
    },
    'm',
    4_000,
  ],
  [
    'Ollama with a loaded model',
    {
      '/v1/models': list({ id: 'm:latest', owned_by: 'library' }),
      '/api/ps': { models: [{ name: 'm:latest', context_length: 8_192 }] },
    },
    'm',
    8_192,
  ],
  ['Ollama', { '/v1/models': list({ id: 'm', owned_by: 'library' }), '/api/ps': { models: [] } }, 'm', 4_096],
  ['servers that do not tell', { '/v1/models': list({ id: 'm', owned_by: 'someone' }) }, 'm', null],
  ['servers without the model', { '/v1/models': list({ id: 'n', max_model_len: 9 }) }, 'm', null],
  ['servers without a list', {}, 'm', null],
];

for (const [name, paths, model, tokens] of SERVERS) {
  test(`reads the context of ${name}`, () =>
    listingOf(paths, async (listing) => {
      assert.equal(await listing.contextTokens(model), tokens);
    }));
}

test('asks once for many questions, and lists nothing of what is no model', () =>
  listingOf({ '/v1/models': list({ id: 'a' }, { id: 5 }, {}, { id: '' }) }, async (listing, asked) => {
    const [first] = await Promise.all([listing.models(), listing.models(), listing.contextTokens('a')]);
    assert.deepEqual(
      first.map((each) => each.name),
      ['a'],
    );
    assert.deepEqual(asked, ['/v1/models']);
  }));

test('asks again soon for what was not told, as by a server that just starts', async ({ mock }) => {
  let passedMs = 0;
  const now = performance.now.bind(performance);
  mock.method(performance, 'now', () => now() + passedMs);
  const paths: Record<string, object> = {};
  await listingOf(paths, async (listing, asked) => {
    assert.deepEqual([await listing.models(), await listing.contextTokens('m')], [[], null]);
    paths['/v1/models'] = list({ id: 'm', owned_by: 'llamacpp' });
    passedMs += 6_000;
    assert.equal(await listing.contextTokens('m'), null);
    paths['/props'] = { default_generation_settings: { n_ctx: 2_048 } };
    passedMs += 6_000;
    assert.equal(await listing.contextTokens('m'), 2_048);
    const before = asked.length;
    passedMs += 6_000;
    assert.equal(await listing.contextTokens('m'), 2_048);
    assert.equal(asked.length, before);
  });
});
