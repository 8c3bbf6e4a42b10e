// Guarantees of the built-in models: the contract's shapes, the same result on any thread, and a free event loop.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSettings } from '../boot/read-settings.ts';
import { Fault } from '../domain/faults.ts';
import { embedModel, rerankModel } from '../domain/inference/find-model.ts';
import type { Inference } from '../domain/inference/port.ts';
import { readEmbedParameters, readRerankParameters } from '../domain/inference/read-parameters.ts';
import { shareOfThisThread } from '../platform/testing/processor-time.ts';
import { openInference } from './open-inference.ts';
import {
  CROSS_ENCODER_GRAPH,
  EMBEDDING_GRAPH,
  writeTinyModel,
} from './providers/onnx/testing/tiny-models.ts';

const folder = mkdtempSync(join(tmpdir(), 'pinyon-inference-'));
let inference: Inference;

async function open(environment: Readonly<Record<string, string>> = {}): Promise<Inference> {
  const settings = readSettings({ PINYON_DATA_DIR: folder, ...environment });
  return await openInference(settings, { environment: {}, onProviderError: () => {} });
}

before(async () => {
  inference = await open();
});
after(async () => {
  await inference.close();
  rmSync(folder, { recursive: true, force: true });
});

async function embed(name: string, inputs: readonly string[], given: Readonly<Record<string, unknown>> = {}) {
  const model = embedModel(inference, name);
  const parameters = readEmbedParameters(model, given, { inputType: 'passage' });
  return await inference.embed({ model, inputs, parameters });
}

async function vectorOf(name: string, input: string, given: Readonly<Record<string, unknown>> = {}) {
  const [embedding] = (await embed(name, [input], given)).embeddings;
  assert.ok(embedding?.vectorType === 'dense');
  return embedding.values;
}

const LONG = 'A vehicle whose battery is weak may fail to turn over in the morning. '.repeat(40);

test('returns dense vectors of the requested dimension and unit length that differ by input type', async () => {
  for (const dimension of [384, 512, 768, 1024, 2048]) {
    const values = await vectorOf('llama-text-embed-v2', 'a red car', { dimension });
    assert.equal(values.length, dimension);
    assert.ok(Math.abs(Math.hypot(...values) - 1) < 1e-5);
  }
  const passage = await vectorOf('multilingual-e5-large', 'a red car');
  const query = await vectorOf('multilingual-e5-large', 'a red car', { input_type: 'query' });
  assert.notDeepEqual(passage, query);
});

test('returns the same result from the main thread and from the worker thread', async () => {
  const alone = await vectorOf('multilingual-e5-large', 'a red car');
  const { embeddings } = await embed('multilingual-e5-large', ['a red car', LONG, LONG]);
  assert.deepEqual(embeddings[0]?.values, alone);
  assert.deepEqual(embeddings[1], embeddings[2]);
});

test('returns the words of sparse vectors on request only', async () => {
  const [named] = (await embed('pinecone-sparse-english-v0', ['AAPL reported'], { return_tokens: true }))
    .embeddings;
  assert.ok(named?.vectorType === 'sparse');
  assert.deepEqual([...(named.tokens ?? [])].sort(), ['aapl', 'reported']);
  assert.ok(named.indices.includes(1640781426));
  const [plain] = (await embed('bm25-english', [LONG])).embeddings;
  assert.ok(plain?.vectorType === 'sparse' && !('tokens' in plain));
});

test('truncates texts over the limit at the requested end, or refuses them', async () => {
  const words = Array.from({ length: 600 }, (_, at) => `word${at}`);
  const end = await embed('llama-text-embed-v2', [`${words.join(' ')} `.repeat(4)], { truncate: 'END' });
  assert.equal(end.totalTokens, 2048);
  assert.deepEqual(
    await vectorOf('multilingual-e5-large', words.join(' ')),
    await vectorOf('multilingual-e5-large', words.slice(0, 507).join(' ')),
  );
  await assert.rejects(
    embed('multilingual-e5-large', ['short', words.join(' ')], { truncate: 'NONE' }),
    (error) => {
      return error instanceof Fault && error.status === 400 && /^Input 1 has 600 tokens/.test(error.message);
    },
  );
});

test('embeds unpaired surrogates, symbols without words, and a megabyte of one text', async () => {
  const texts = ['\ud800', '!?', 'x'.repeat(2 ** 20), 'cat '.repeat(2 ** 18)];
  for (const name of ['multilingual-e5-large', 'pinecone-sparse-english-v0']) {
    const { embeddings, totalTokens } = await embed(name, texts);
    assert.equal(embeddings.length, texts.length);
    assert.ok(embeddings.every(({ values }) => values.every(Number.isFinite)));
    assert.ok(totalTokens >= 1);
  }
});

test('scores documents from 0 to 1 in their order, and refuses a pair over the limit with its number', async () => {
  const model = rerankModel(inference, 'bge-reranker-v2-m3');
  const parameters = readRerankParameters(model, {});
  const documents = ['The dog sleeps.', 'My car needs a new battery.', LONG];
  const { scores, rerankUnits } = await inference.rerank({
    model,
    query: 'car battery',
    documents,
    parameters,
  });
  assert.ok(scores.every((score) => score >= 0 && score <= 1));
  assert.ok((scores[1] ?? 0) > (scores[0] ?? 1));
  assert.equal(rerankUnits, 1);
  const long = { model, query: 'car', documents: ['a', 'word '.repeat(1_100)], parameters };
  await assert.rejects(inference.rerank(long), (error) => {
    assert.ok(error instanceof Fault && error.status === 400);
    assert.match(
      error.message,
      /1101 tokens, at document index 1, .*maximum token limit of 1024 for each query\+document pair/,
    );
    return true;
  });
});

test('keeps the event loop free while many long passages are embedded', async () => {
  const inputs = Array.from({ length: 96 }, (_, at) => `${at} ${LONG}`);
  await embed('multilingual-e5-large', inputs);
  const share = await shareOfThisThread(() =>
    embed('multilingual-e5-large', [...inputs, ...inputs, ...inputs]),
  );
  assert.ok(share < 0.5, `${share} of the work was done on the thread of the event loop`);
});

test('serves a folder of local models from the next start on, with another source', async () => {
  const modelsDir = join(folder, 'local');
  writeTinyModel(join(modelsDir, 'multilingual-e5-large'), EMBEDDING_GRAPH, { dimensions: 8 });
  writeTinyModel(join(modelsDir, 'bge-reranker-v2-m3'), CROSS_ENCODER_GRAPH, { type: 'rerank' });
  const local = await open({ PINYON_MODELS_DIR: modelsDir });
  try {
    const model = embedModel(local, 'multilingual-e5-large');
    assert.equal(model.providerName, 'local ONNX model');
    const parameters = readEmbedParameters(model, { input_type: 'query' });
    const { embeddings } = await local.embed({ model, inputs: ['cat'], parameters });
    assert.equal(embeddings[0]?.values.length, 8);
    assert.equal(local.embeddingSource('multilingual-e5-large')?.provider, 'onnx');
    assert.equal(inference.embeddingSource('multilingual-e5-large')?.provider, 'built-in');
    assert.equal(local.embeddingSource('bge-reranker-v2-m3'), undefined);
    assert.doesNotMatch(local.notices()[0] ?? '', /multilingual-e5-large/);
  } finally {
    await local.close();
  }
});
