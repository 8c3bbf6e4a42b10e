// What the inference endpoints answer and refuse, over the models of `testInference`, where words are tokens.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { Fault } from '../../../domain/faults.ts';
import { testInference } from '../../../inference/testing/test-inference.ts';
import type { QueryValues } from '../../endpoint.ts';
import { inferenceEndpoints } from '../inference-endpoints.ts';
import { describeModel } from './describe-model.ts';
import { embed } from './embed.ts';
import type { InferenceEndpoint } from './inference-endpoint.ts';
import { listModels } from './list-models.ts';
import { rerank } from './rerank.ts';

type Json = Readonly<Record<string, unknown>>;

interface RequestParts {
  readonly body?: unknown;
  readonly query?: QueryValues;
  readonly params?: Readonly<Record<string, string>>;
}

const inference = testInference();
const { signal } = new AbortController();

/** The answer, which must be as the endpoint's own description says. */
async function call(
  endpoint: InferenceEndpoint,
  { body, query = {}, params = {} }: RequestParts,
): Promise<Json> {
  const reply = await endpoint.handle({
    version: null,
    params,
    query,
    body,
    signal,
    hold: () => undefined,
    expect: () => undefined,
    services: { inference },
  });
  assert.equal(reply.status, 200);
  const answer = JSON.parse(reply.jsonText ?? JSON.stringify(reply.body)) as Json;
  const { schema } = endpoint.success;
  assert.ok(schema);
  assert.deepEqual([...Compile(schema).Errors(answer)], []);
  return answer;
}

async function refuses(
  endpoint: InferenceEndpoint,
  request: RequestParts,
  message: string | RegExp,
  status = 400,
) {
  await assert.rejects(call(endpoint, request), (error: unknown) => {
    assert.ok(error instanceof Fault, String(error));
    assert.equal(error.status, status);
    if (typeof message === 'string') assert.equal(error.message, message);
    else assert.match(error.message, message);
    assert.ok(endpoint.faults.includes(error.condition), `${endpoint.id} does not list ${error.condition}`);
    return true;
  });
}

const DENSE = 'llama-text-embed-v2';
const SPARSE = 'pinecone-sparse-english-v0';
const PASSAGE = { input_type: 'passage' };
const inputs = (...texts: readonly string[]) => texts.map((text) => ({ text }));

describe('POST /embed', () => {
  test('returns a dense vector for each input in order, and the total tokens', async () => {
    const body = { model: DENSE, inputs: inputs('one two', 'three', 'one two'), parameters: PASSAGE };
    const answer = await call(embed, { body });
    const data = answer.data as readonly { readonly vector_type: string; readonly values: number[] }[];
    assert.deepEqual([answer.model, answer.vector_type, answer.usage], [DENSE, 'dense', { total_tokens: 5 }]);
    assert.deepEqual(
      data.map(({ values }) => values.length),
      [1024, 1024, 1024],
    );
    assert.deepEqual(data[0], data[2]);
    assert.notDeepEqual(data[0], data[1]);
    const { data: queries } = await call(embed, { body: { ...body, parameters: { inputType: 'query' } } });
    assert.notDeepEqual((queries as unknown[])[0], data[0]);
  });

  test('returns indices and values of a sparse model, and tokens only on request', async () => {
    const body = { model: SPARSE, inputs: inputs('b a'), parameters: PASSAGE };
    const [plain] = (await call(embed, { body })).data as readonly Json[];
    assert.deepEqual(Object.keys(plain ?? {}), ['vector_type', 'sparse_values', 'sparse_indices']);
    const request = { ...body, parameters: { ...PASSAGE, return_tokens: 'true' } };
    const [first] = (await call(embed, { body: request })).data as readonly Json[];
    assert.deepEqual((first?.sparse_tokens as readonly string[] | undefined)?.toSorted(), ['a', 'b']);
  });

  test('accepts bare strings, numbers as text, and a supported dimension', async () => {
    const body = { model: DENSE, inputs: ['x'], parameters: { ...PASSAGE, dimension: '384' } };
    const [item] = (await call(embed, { body })).data as readonly { readonly values: number[] }[];
    assert.equal(item?.values.length, 384);
  });

  test('truncates long inputs at the end or start, and counts what remains', async () => {
    const body = { model: DENSE, inputs: inputs(`first ${'word '.repeat(2_048)}`) };
    for (const truncate of ['END', 'START']) {
      const { usage } = await call(embed, { body: { ...body, parameters: { ...PASSAGE, truncate } } });
      assert.deepEqual(usage, { total_tokens: 2_048 });
    }
    const uncut = { ...body, parameters: { ...PASSAGE, truncate: 'NONE' } };
    await refuses(embed, { body: uncut }, /2049 tokens/);
  });

  const good = { model: DENSE, inputs: inputs('x'), parameters: PASSAGE };
  const many = Array.from({ length: 97 }, () => ({ text: 'x' }));
  const refusals: readonly (readonly [string, unknown, string | RegExp])[] = [
    ['no body', undefined, 'The request body must be a JSON object.'],
    ['a list', [good], 'The request body must be a JSON object.'],
    ['no model', { ...good, model: undefined }, 'model is required and must not be empty.'],
    ['a model that is no text', { ...good, model: 7 }, 'model must be a string'],
    [
      'an unknown model',
      { ...good, model: 'x' },
      /^Model 'x' is not available. Supported embedding models: llama/,
    ],
    [
      'a rerank model',
      { ...good, model: 'bge-reranker-v2-m3' },
      /^Model 'bge-reranker-v2-m3' is not available/,
    ],
    ['no inputs', { ...good, inputs: undefined }, 'inputs is required.'],
    ['empty inputs', { ...good, inputs: [] }, 'inputs must hold at least one entry.'],
    ['an empty text', { ...good, inputs: inputs('x', '') }, 'inputs[1].text must not be empty.'],
    ['an item without text', { ...good, inputs: [{}] }, 'inputs[0] must be an object with a text.'],
    [
      '97 inputs',
      { ...good, inputs: many },
      `inputs holds 97 entries, which exceeds the limit of 96 for model '${DENSE}'.`,
    ],
    ['no input type', { ...good, parameters: {} }, /^parameters.input_type is required/],
    ['another input type', { ...good, parameters: { input_type: 'image' } }, /must be one of query, passage/],
    [
      'an unknown parameter',
      { ...good, parameters: { ...PASSAGE, x: 1 } },
      /^parameters.x is not a parameter/,
    ],
    ['parameters that are none', { ...good, parameters: 'x' }, 'parameters must be an object'],
    [
      'another dimension',
      { ...good, parameters: { ...PASSAGE, dimension: 5 } },
      /dimension must be one of 384/,
    ],
    [
      'a dimension of a fixed model',
      { ...good, model: 'multilingual-e5-large', parameters: { ...PASSAGE, dimension: 1024 } },
      /^parameters.dimension is not a parameter/,
    ],
  ];
  for (const [what, body, message] of refusals) {
    test(`responds 400 to ${what}`, () => refuses(embed, { body }, message));
  }

  test('responds 503 when the model fails', async () => {
    inference.fail('down');
    await refuses(embed, { body: good }, /^Model llama-text-embed-v2 cannot answer now/, 503);
    inference.fail(null);
  });
});

describe('POST /rerank', () => {
  const documents = [
    { id: 1, text: 'red car' },
    { id: 2, text: 'red apple tree' },
    { id: 3, text: 'green' },
  ];
  const good = { model: 'bge-reranker-v2-m3', query: 'apple tree', documents };

  test('returns whole documents, best first, with their positions in the request', async () => {
    const answer = await call(rerank, { body: good });
    assert.deepEqual(answer, {
      model: good.model,
      data: [
        { index: 1, score: 1, document: documents[1] },
        { index: 0, score: 0, document: documents[0] },
        { index: 2, score: 0, document: documents[2] },
      ],
      usage: { rerank_units: 1 },
    });
  });

  test('returns the top results, without documents if requested', async () => {
    const bare = { ...good, top_n: 1, return_documents: false };
    assert.deepEqual((await call(rerank, { body: bare })).data, [{ index: 1, score: 1 }]);
    assert.equal(((await call(rerank, { body: { ...good, topN: 99 } })).data as []).length, 3);
  });

  test('accepts strings, other rank fields, and several of them if the model does', async () => {
    const strings = { ...good, documents: ['a tree', 'an apple tree'] };
    const [best] = (await call(rerank, { body: strings })).data as readonly Json[];
    assert.deepEqual(best, { index: 1, score: 1, document: { text: 'an apple tree' } });
    const fields = {
      model: 'cohere-rerank-3.5',
      query: 'x y',
      documents: [
        { a: 'x', b: 'z' },
        { a: 'x', b: 'y' },
      ],
      rank_fields: ['a', 'b'],
    };
    assert.deepEqual(((await call(rerank, { body: fields })).data as readonly Json[])[0]?.index, 1);
  });

  test('accepts and ignores the input type that examples of older clients send', async () => {
    await call(rerank, { body: { ...good, parameters: { inputType: 'passage', truncate: 'END' } } });
  });

  const many = Array.from({ length: 101 }, () => ({ text: 'x' }));
  const refusals: readonly (readonly [string, unknown, string | RegExp])[] = [
    [
      'an unknown model',
      { ...good, model: 'x' },
      /^Model 'x' is not available. Supported rerank models: bge/,
    ],
    ['an embedding model', { ...good, model: DENSE }, /^Model 'llama-text-embed-v2' is not available/],
    ['no query', { ...good, query: '' }, 'query is required and must not be empty.'],
    ['a blank query', { ...good, query: ' ' }, 'query must not be empty.'],
    ['no documents', { ...good, documents: undefined }, 'documents is required.'],
    ['empty documents', { ...good, documents: [] }, 'documents must hold at least one entry.'],
    ['too many documents', { ...good, documents: many }, /holds 101 entries, which exceeds the limit of 100/],
    [
      'a document that is a number',
      { ...good, documents: [1] },
      'documents[0] must be an object or a string.',
    ],
    [
      'a missing field',
      { ...good, documents: [{ text: 'x' }, {}] },
      "field 'text' not found in document at index 1",
    ],
    [
      'a missing named field',
      { ...good, rank_fields: ['body'] },
      "field 'body' not found in document at index 0",
    ],
    [
      'two rank fields',
      { ...good, rank_fields: ['text', 'id'] },
      /^Only one rank field is supported for model/,
    ],
    ['no rank field', { ...good, rank_fields: [] }, 'rank_fields must name at least one field.'],
    ['a rank field that is a number', { ...good, rank_fields: [1] }, 'rank_fields must be strings.'],
    ['a negative top_n', { ...good, top_n: -1 }, /^top_n must be an integer from 1/],
    ['return_documents as text', { ...good, return_documents: 'yes' }, 'return_documents must be a boolean.'],
    ['an unknown parameter', { ...good, parameters: { x: 1 } }, /^parameters.x is not a parameter/],
    [
      'a pair that is too long',
      { ...good, documents: [{ text: 'word '.repeat(1_100) }] },
      /1102 tokens.*maximum token limit of 1024/,
    ],
  ];
  for (const [what, body, message] of refusals) {
    test(`responds 400 to ${what}`, () => refuses(rerank, { body }, message));
  }
});

describe('GET /models', () => {
  const names = async (query: QueryValues) =>
    ((await call(listModels, { query })).models as readonly Json[]).map(({ model }) => model);

  test('lists the models of the hosted service, with the details of each kind', async () => {
    const { models } = await call(listModels, {});
    const byName = new Map((models as readonly Json[]).map((model) => [model.model, model]));
    const sparse = byName.get(SPARSE) ?? {};
    assert.deepEqual(
      [sparse.type, sparse.vector_type, sparse.max_sequence_length, sparse.max_batch_size],
      ['embed', 'sparse', 512, 96],
    );
    assert.deepEqual([sparse.default_dimension, sparse.modality], [undefined, 'text']);
    // Works, but the hosted listing leaves it out.
    const parameters = (sparse.supported_parameters as readonly Json[]).map(({ parameter }) => parameter);
    assert.deepEqual(parameters, ['input_type', 'truncate', 'return_tokens']);
    const reranker = byName.get('bge-reranker-v2-m3') ?? {};
    for (const name of ['vector_type', 'default_dimension', 'supported_metrics'])
      assert.ok(!(name in reranker));
    assert.deepEqual(byName.get(DENSE)?.supported_dimensions, [384, 512, 768, 1024, 2048]);
  });

  test('filters by kind and vector type, in either spelling', async () => {
    assert.ok((await names({ type: 'rerank' })).includes('bge-reranker-v2-m3'));
    assert.ok(!(await names({ type: 'embed' })).includes('bge-reranker-v2-m3'));
    assert.deepEqual(await names({ vector_type: 'sparse' }), [SPARSE, 'bm25-english']);
    assert.deepEqual(await names({ type: 'embed', vectorType: 'sparse' }), [SPARSE, 'bm25-english']);
  });

  test('responds 400 to unknown values, and to a vector type of rerankers', async () => {
    await refuses(listModels, { query: { type: 'x' } }, 'type must be embed or rerank.');
    await refuses(listModels, { query: { vector_type: 'x' } }, 'vector_type must be dense or sparse.');
    await refuses(
      listModels,
      { query: { type: 'rerank', vector_type: 'dense' } },
      'vector_type applies to embedding models only; omit it with type=rerank.',
    );
  });

  test('describes a model, and responds 404 to an unknown one', async () => {
    const model = await call(describeModel, { params: { model_name: DENSE } });
    assert.deepEqual([model.model, model.supported_metrics], [DENSE, ['cosine', 'dotproduct']]);
    await refuses(describeModel, { params: { model_name: 'x' } }, 'Model x not found.', 404);
  });
});

test('has unique endpoint ids and addresses', () => {
  const addresses = inferenceEndpoints.map(({ method, path }) => `${method} ${path}`);
  assert.equal(new Set(addresses).size, inferenceEndpoints.length);
});
