// Embeddings in the OpenAI form: a request holds many batches of its model, and its caller knows nothing of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../domain/faults.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import { testInference } from '../../../inference/testing/test-inference.ts';
import { untouched } from '../../../platform/testing/untouched.ts';
import { createEmbeddings } from './create-embeddings.ts';
import type { OpenAiCall } from './openai-endpoint.ts';

const MODEL = 'multilingual-e5-large';
const REFUSED = 'refused';

test('names the input that a model refuses by its place in the whole request', async () => {
  const working = testInference();
  const inference: OpenAiCall['services']['inference'] = {
    ...working,
    embed: (request, call) => {
      const position = request.inputs.indexOf(REFUSED);
      if (position < 0) return working.embed(request, call);
      const fields = { tokens: 1, tokensMax: 1, model: MODEL, refusal: 'its provider does not take it' };
      return Promise.reject(new InputTooLong(position, fields));
    },
  };
  const { maxBatchSize } = working.model(MODEL) ?? assert.fail();
  const input = Array.from({ length: 3 * maxBatchSize }, (_, at) => `text ${at}`);
  const at = 2 * maxBatchSize + 7;
  input[at] = REFUSED;
  const call = {
    ...untouched<OpenAiCall>(),
    body: { model: MODEL, input },
    services: { ...untouched<OpenAiCall['services']>(), inference },
    signal: new AbortController().signal,
    hold: () => undefined,
    expect: () => undefined,
  };
  await assert.rejects(createEmbeddings.handle(call), (error) => {
    assert.ok(error instanceof Fault && error.condition === 'invalid-argument', String(error));
    assert.equal(
      error.message,
      `input[${at}] is refused by model '${MODEL}': its provider does not take it.`,
    );
    return true;
  });
});

function asked(body: object): OpenAiCall {
  const services = { ...untouched<OpenAiCall['services']>(), inference: testInference() };
  return {
    ...untouched<OpenAiCall>(),
    body,
    services,
    signal: new AbortController().signal,
    hold: () => undefined,
    expect: () => undefined,
  };
}

test('takes the only dimension of a model for no parameter', async () => {
  const model = testInference().model(MODEL);
  assert.ok(model?.kind === 'embed' && model.vectorType === 'dense');
  const [only] = model.dimensions;
  const { status } = await createEmbeddings.handle(asked({ model: MODEL, input: 'text', dimensions: only }));
  assert.equal(status, 200);
});

test('refuses lists of more than 8,192 tokens before it makes text of them', async () => {
  const long = Array.from({ length: 8_193 }, () => 33);
  for (const input of [long, [[33], long]]) {
    await assert.rejects(createEmbeddings.handle(asked({ model: MODEL, input })), {
      message: 'A list of tokens must have at most 8192 of them.',
    });
  }
});

test('names dimensions as its callers do where the model has no such one', async () => {
  const call = {
    ...untouched<OpenAiCall>(),
    body: { model: MODEL, input: 'text', dimensions: 7 },
    services: { ...untouched<OpenAiCall['services']>(), inference: testInference() },
    signal: new AbortController().signal,
    hold: () => undefined,
    expect: () => undefined,
  };
  await assert.rejects(createEmbeddings.handle(call), {
    message: `dimensions is not a parameter of model '${MODEL}'. It takes input_type, truncate.`,
  });
});
