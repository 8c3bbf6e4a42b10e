// Guarantees of well-behaved HTTP providers: each API is supported, and results match the request.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { embedModel, rerankModel } from '../../../domain/inference/find-model.ts';
import type { Inference } from '../../../domain/inference/port.ts';
import { readEmbedParameters, readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import { SPARSE_ENTRIES_MAX } from '../../../domain/limits.ts';
import { fakeProvider, inferenceOverHttp, json, type OverHttpOptions } from './testing/fake-provider.ts';

async function provider(answer: Parameters<typeof fakeProvider>[0]) {
  const fake = await fakeProvider(answer);
  after(() => fake.close());
  return fake;
}

function embed(
  inference: Inference,
  inputs: readonly string[],
  given: Readonly<Record<string, unknown>> = {},
) {
  const model = embedModel(inference, 'm');
  return inference.embed({ model, inputs, parameters: readEmbedParameters(model, given) });
}

function rerank(
  inference: Inference,
  query: string,
  documents: readonly string[],
  given: Readonly<Record<string, unknown>> = {},
) {
  const model = rerankModel(inference, 'm');
  return inference.rerank({ model, query, documents, parameters: readRerankParameters(model, given) });
}

const PLAIN = { normalize: false, dimensions: 2 };
const floats = (...values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString('base64');

test('orders results of the OpenAI API like the texts, from base64 and from lists', async () => {
  const data = [
    { index: 1, embedding: floats(3, 4) },
    { index: 0, embedding: [1, 2] },
  ];
  const fake = await provider(json({ data, usage: { prompt_tokens: 9, total_tokens: 9 } }));
  const setting = { provider: 'openai', url: fake.url, model: 'theirs', key: 'sk-1', ...PLAIN };
  const { inference } = inferenceOverHttp(setting);
  const { embeddings, totalTokens } = await embed(inference, ['a', 'b']);
  assert.deepEqual(
    embeddings.map(({ values }) => [...values]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.equal(totalTokens, 9);
  assert.deepEqual(fake.received, [
    {
      path: '/v1/embeddings',
      authorization: 'Bearer sk-1',
      body: { model: 'theirs', input: ['a', 'b'], encoding_format: 'base64' },
    },
  ]);
});

test('sends prefixes, the input type and dimensions as the setting says', async () => {
  const fake = await provider(json({ data: [{ index: 0, embedding: [3, 4] }] }));
  const setting = {
    provider: 'openai',
    url: `${fake.url}/`,
    dimensions: [2, 3],
    prefixes: { query: 'Q: ' },
    input_type_field: 'input_type',
    encoding: 'float',
    key_env: 'THEIR_KEY',
  };
  const { inference } = inferenceOverHttp(setting, { environment: { THEIR_KEY: 'from-env' } });
  const { embeddings } = await embed(inference, ['cat'], { input_type: 'query', dimension: 2 });
  assert.deepEqual(
    [...(embeddings[0]?.values ?? [])].map((value) => value.toFixed(3)),
    ['0.600', '0.800'],
  );
  assert.deepEqual(fake.received[0]?.body, {
    model: 'm',
    input: ['Q: cat'],
    encoding_format: 'float',
    dimensions: 2,
    input_type: 'query',
  });
  assert.equal(fake.received[0]?.authorization, 'Bearer from-env');
});

test('truncates vectors of the provider to their beginning, at unit length', async () => {
  const fake = await provider(json({ data: [{ index: 0, embedding: [3, 4, 12] }] }));
  const { inference } = inferenceOverHttp({
    provider: 'openai',
    url: fake.url,
    dimensions: [2, 3],
    resize: 'cut',
  });
  const { embeddings } = await embed(inference, ['cat'], { dimension: 2 });
  assert.deepEqual(
    [...(embeddings[0]?.values ?? [])].map((value) => value.toFixed(3)),
    ['0.600', '0.800'],
  );
  assert.equal('dimensions' in (fake.received[0]?.body ?? {}), false);
});

test('supports the TEI API: dense, sparse and rerank', async () => {
  const dense = await provider(json([[0.6, 0.8]]));
  const denseEmbedding = await embed(
    inferenceOverHttp({ provider: 'tei', url: dense.url, dimensions: 2 }).inference,
    ['cat'],
  );
  assert.equal(denseEmbedding.embeddings[0]?.vectorType, 'dense');
  assert.deepEqual(dense.received[0]?.path, '/v1/embed');

  const sparse = await provider(
    json([
      [
        { index: 9, value: 0.5 },
        { index: 2, value: 1 },
        { index: 3, value: 0 },
      ],
    ]),
  );
  const setting = { provider: 'tei', url: sparse.url, vector_type: 'sparse' };
  const { embeddings } = await embed(inferenceOverHttp(setting).inference, ['cat'], { return_tokens: true });
  const [first] = embeddings;
  assert.ok(first?.vectorType === 'sparse');
  assert.deepEqual(
    [[...first.indices], [...first.values], first.tokens],
    [
      [2, 9],
      [1, 0.5],
      ['2', '9'],
    ],
  );

  const ranking = await provider(
    json([
      { index: 1, score: 0.9 },
      { index: 0, score: 0.1 },
    ]),
  );
  const { inference } = inferenceOverHttp({ provider: 'tei', url: ranking.url, type: 'rerank' });
  assert.deepEqual((await rerank(inference, 'q', ['a', 'b'])).scores, [0.1, 0.9]);
  assert.deepEqual(ranking.received[0]?.body, { query: 'q', texts: ['a', 'b'], truncate: true });
});

test('orders scores of the Cohere API like the documents', async () => {
  const results = [
    { index: 1, relevance_score: 1.0004 },
    { index: 0, relevance_score: 0.25 },
  ];
  const fake = await provider(json({ results }));
  const { inference } = inferenceOverHttp({ provider: 'cohere', url: fake.url, model: 'rerank-v3.5' });
  assert.deepEqual(await rerank(inference, 'q', ['a', 'b']), { scores: [0.25, 1], rerankUnits: 1 });
  assert.deepEqual(fake.received[0]?.body, {
    model: 'rerank-v3.5',
    query: 'q',
    documents: ['a', 'b'],
    top_n: 2,
  });
});

test('sends many documents in batches, and orders the scores like the request', async () => {
  const fake = await provider(({ body }, response) => {
    const documents = body.documents as string[];
    const results = documents.map((document, index) => ({ index, relevance_score: document.length / 10 }));
    response.end(JSON.stringify({ results: results.reverse() }));
  });
  const { inference } = inferenceOverHttp({ provider: 'cohere', url: fake.url, batch: 2 });
  const documents = [5, 1, 4, 2, 3].map((length) => 'x'.repeat(length));
  assert.deepEqual((await rerank(inference, 'q', documents)).scores, [0.5, 0.1, 0.4, 0.2, 0.3]);
  assert.equal(fake.received.length, 3);
});

/** A provider that returns the length of each text. */
async function lengthsProvider(setting: Readonly<Record<string, unknown>>, options?: OverHttpOptions) {
  const fake = await provider(({ body }, response) => {
    const data = (body.input as string[]).map((text, index) => ({ index, embedding: [text.length, 1] }));
    json({ data })({ path: '', authorization: undefined, body }, response);
  });
  return { fake, ...inferenceOverHttp({ provider: 'openai', url: fake.url, ...PLAIN, ...setting }, options) };
}

test('sends many texts in batches, and keeps their order', async () => {
  const { fake, inference } = await lengthsProvider({ batch: 3 });
  const inputs = Array.from({ length: 10 }, (_, at) => 'x'.repeat(((at * 7) % 10) + 1));
  const { embeddings } = await embed(inference, inputs);
  assert.deepEqual(
    embeddings.map(({ values }) => values[0]),
    inputs.map(({ length }) => length),
  );
  assert.equal(fake.received.length, 4);
  assert.ok(fake.received.every(({ body }) => (body.input as string[]).length <= 3));
});

test('caches embedded texts by their parameters', async () => {
  const { fake, inference } = await lengthsProvider({}, { cacheBytesMax: 1_000_000 });
  const first = await embed(inference, ['cat', 'horse']);
  const second = await embed(inference, ['horse', 'dog']);
  assert.deepEqual(second.embeddings[0], first.embeddings[1]);
  assert.deepEqual(fake.received[1]?.body.input, ['dog']);
  await embed(inference, ['horse'], { input_type: 'query' });
  assert.deepEqual(fake.received[2]?.body.input, ['horse']);
});

test('caches what was computed of a request that failed, so that it is not computed again with the next', async () => {
  const embedded = await provider(({ body }, response) => {
    const [text] = body.input as string[];
    if (text === 'refused') return void response.writeHead(422).end();
    response.end(JSON.stringify({ data: [{ index: 0, embedding: [text?.length, 1] }] }));
  });
  const one = { batch: 1, parallel: 1 };
  const cached = { cacheBytesMax: 1_000_000 };
  const texts = inferenceOverHttp({ provider: 'openai', url: embedded.url, ...one, ...PLAIN }, cached);
  await assert.rejects(embed(texts.inference, ['cat', 'refused', 'horse']), /^Fault: Input 1 is refused/);
  embedded.received.length = 0;
  await embed(texts.inference, ['cat', 'horse']);
  assert.deepEqual(embedded.received, []);

  const ranked = await provider(({ body }, response) => {
    const [document] = body.documents as string[];
    if (document === 'refused') return void response.writeHead(422).end();
    response.end(JSON.stringify({ results: [{ index: 0, relevance_score: 0.5 }] }));
  });
  const pairs = inferenceOverHttp({ provider: 'cohere', url: ranked.url, ...one }, cached);
  await assert.rejects(rerank(pairs.inference, 'q', ['cat', 'refused', 'horse']), /refused/);
  ranked.received.length = 0;
  await rerank(pairs.inference, 'q', ['cat', 'horse']);
  assert.deepEqual(ranked.received, []);
});

test('repairs unpaired surrogates and truncates texts of a megabyte before sending them', async () => {
  const { fake, inference } = await lengthsProvider({ max_tokens: 8 });
  await embed(inference, ['a\ud800b', 'word '.repeat(200_000)]);
  const [first, second] = fake.received.flatMap(({ body }) => body.input as string[]);
  assert.equal(first, 'a\ufffdb');
  assert.equal(second?.trim(), Array(8).fill('word').join(' '));
  await assert.rejects(embed(inference, ['a', 'word '.repeat(9)], { truncate: 'NONE' }), (error: Error) => {
    assert.match(
      error.message,
      /^Input 1 has 9 tokens, which exceeds the maximum token limit of 8 for model 'm'/,
    );
    return 'status' in error && error.status === 400;
  });
});

test('sends the part of a text within the limit as it is written', async () => {
  const { fake, inference } = await lengthsProvider({ max_tokens: 8 });
  await embed(inference, ["Dear Ann, the API's key: (ACME-2) never share!"], { truncate: 'END' });
  assert.deepEqual(fake.received[0]?.body.input, ["Dear Ann, the API's key: (ACME-2"]);
});

test('has TEI truncate by its own tokens at the end that the caller names, or not at all', async () => {
  const dense = await provider(json([[0.6, 0.8]]));
  const sparse = await provider(json([[{ index: 9, value: 0.5 }]]));
  const ranking = await provider(json([{ index: 0, score: 0.1 }]));
  const expected = {
    END: { truncate: true },
    START: { truncate: true, truncation_direction: 'Left' },
    NONE: { truncate: false },
  };
  const setting = { provider: 'tei', dimensions: 2, normalize: true };
  for (const [truncate, fields] of Object.entries(expected)) {
    await embed(inferenceOverHttp({ ...setting, url: dense.url }).inference, ['cat'], { truncate });
    assert.deepEqual(dense.received.at(-1)?.body, { inputs: ['cat'], normalize: true, ...fields });
    const sparseSetting = { provider: 'tei', url: sparse.url, vector_type: 'sparse' };
    await embed(inferenceOverHttp(sparseSetting).inference, ['cat'], { truncate });
    assert.deepEqual(sparse.received.at(-1)?.body, { inputs: ['cat'], ...fields });
    if (truncate === 'START') continue;
    const { inference } = inferenceOverHttp({ provider: 'tei', url: ranking.url, type: 'rerank' });
    await rerank(inference, 'q', ['a'], { truncate });
    assert.deepEqual(ranking.received.at(-1)?.body, { query: 'q', texts: ['a'], ...fields });
  }
});

test('keeps the heaviest entries of a sparse vector, as many as a record may have, and none without weight', async () => {
  const entries = Array.from({ length: 3_000 }, (_, index) => ({ index, value: ((index * 7) % 3_000) + 1 }));
  const fake = await provider(
    json([[...entries, { index: 3_000, value: 1e-60 }, { index: 3_001, value: -1 }]]),
  );
  const { inference } = inferenceOverHttp({ provider: 'tei', url: fake.url, vector_type: 'sparse' });
  const [embedding] = (await embed(inference, ['cat'])).embeddings;
  assert.ok(embedding?.vectorType === 'sparse');
  const heaviest = entries.filter(({ value }) => value > 3_000 - SPARSE_ENTRIES_MAX);
  assert.deepEqual(
    [...embedding.indices],
    heaviest.map(({ index }) => index),
  );
  assert.deepEqual(
    [...embedding.values],
    heaviest.map(({ value }) => value),
  );
});
