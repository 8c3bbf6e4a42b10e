// The parameters of models: every rule is enforced, and errors name the parameter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../faults.ts';
import { HOSTED_MODELS } from './hosted-models.ts';
import { type EmbedModel, isEmbedModel, isRerankModel, type RerankModel } from './model.ts';
import { readEmbedParameters, readRerankParameters } from './read-parameters.ts';

function embedding(name: string): EmbedModel {
  const model = HOSTED_MODELS.find((each) => each.name === name);
  assert.ok(model !== undefined && isEmbedModel(model));
  return model;
}

function reranking(name: string): RerankModel {
  const model = HOSTED_MODELS.find((each) => each.name === name);
  assert.ok(model !== undefined && isRerankModel(model));
  return model;
}

const llama = embedding('llama-text-embed-v2');
const e5 = embedding('multilingual-e5-large');
const sparse = embedding('pinecone-sparse-english-v0');

function refused(read: () => unknown, message: string): void {
  assert.throws(read, (error) => error instanceof Fault && error.status === 400 && error.message === message);
}

test('gives absent parameters the defaults of their model', () => {
  assert.deepEqual(readEmbedParameters(llama, { input_type: 'query' }), {
    inputType: 'query',
    truncate: 'END',
    dimension: 1024,
    tokensMax: 2048,
    returnTokens: false,
  });
  const { dimension, tokensMax } = readEmbedParameters(sparse, { input_type: 'passage' });
  assert.deepEqual({ dimension, tokensMax }, { dimension: null, tokensMax: 512 });
  assert.equal(readRerankParameters(reranking('bge-reranker-v2-m3'), {}).truncate, 'NONE');
  assert.equal(readRerankParameters(reranking('pinecone-rerank-v0'), {}).truncate, 'END');
  assert.equal(readRerankParameters(reranking('cohere-rerank-4-fast'), {}).tokensMax, 1024);
});

test('accepts numbers and booleans as text, and null as absent', () => {
  assert.equal(readEmbedParameters(llama, { input_type: 'query', dimension: '384' }).dimension, 384);
  const given = {
    input_type: 'query',
    return_tokens: 'true',
    max_tokens_per_sequence: '2048',
    truncate: null,
  };
  const { returnTokens, tokensMax } = readEmbedParameters(sparse, given);
  assert.deepEqual({ returnTokens, tokensMax }, { returnTokens: true, tokensMax: 2048 });
});

test('knows the input type on an integrated index, and accepts another', () => {
  assert.equal(readEmbedParameters(e5, {}, { inputType: 'passage' }).inputType, 'passage');
  assert.equal(readEmbedParameters(e5, { input_type: null }, { inputType: 'passage' }).inputType, 'passage');
  assert.equal(readEmbedParameters(e5, { input_type: 'query' }, { inputType: 'passage' }).inputType, 'query');
});

test('refuses a missing, unknown or invalid parameter by name', () => {
  refused(
    () => readEmbedParameters(e5, {}),
    "parameters.input_type is required for model 'multilingual-e5-large'; it is one of query, passage.",
  );
  refused(
    () => readEmbedParameters(e5, { input_type: 'question' }),
    "parameters.input_type must be one of query, passage for model 'multilingual-e5-large'.",
  );
  refused(
    () => readEmbedParameters(e5, { input_type: 'query', dimension: 1024 }),
    "parameters.dimension is not a parameter of model 'multilingual-e5-large'. It takes input_type, truncate.",
  );
  refused(
    () => readEmbedParameters(e5, { input_type: 'query', truncate: 'START' }, { path: 'read_parameters' }),
    "read_parameters.truncate must be one of END, NONE for model 'multilingual-e5-large'.",
  );
  for (const dimension of [1000, '1e3', 384.5, true, [384], '0x180']) {
    refused(
      () => readEmbedParameters(llama, { input_type: 'query', dimension }),
      "parameters.dimension must be one of 384, 512, 768, 1024, 2048 for model 'llama-text-embed-v2'.",
    );
  }
  refused(
    () => readRerankParameters(reranking('cohere-rerank-3.5'), { max_chunks_per_doc: 3073 }),
    "parameters.max_chunks_per_doc must be an integer from 1 to 3072 for model 'cohere-rerank-3.5'.",
  );
  refused(
    () => readEmbedParameters(sparse, { input_type: 'query', return_tokens: 1 }),
    "parameters.return_tokens must be true or false for model 'pinecone-sparse-english-v0'.",
  );
});

test('takes no name of Object.prototype for a parameter', () => {
  const given: Record<string, unknown> = JSON.parse(
    '{"__proto__": {"input_type": "query"}, "input_type": "query"}',
  );
  assert.throws(() => readEmbedParameters(e5, given), Fault);
  assert.throws(() => readEmbedParameters(e5, { constructor: 1, input_type: 'query' }), Fault);
});
