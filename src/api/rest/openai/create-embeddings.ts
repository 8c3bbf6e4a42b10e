// POST /v1/embeddings: embeds texts in the OpenAI form.
import { Buffer } from 'node:buffer';
import { fault, invalid } from '../../../domain/faults.ts';
import { InputTooLong } from '../../../domain/inference/input-too-long.ts';
import type { DenseModel } from '../../../domain/inference/model.ts';
import { INPUT_TYPES } from '../../../domain/inference/model-parameters.ts';
import type { Embedding } from '../../../domain/inference/port.ts';
import { readEmbedParameters } from '../../../domain/inference/read-parameters.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { float32ArrayText } from '../../../domain/records/float32-text.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import { denseTextBytesMin, EmbeddingTexts } from '../inference/embedding-text.ts';
import { requestObject, requiredText } from '../inference/request-parts.ts';
import { optionalString } from '../records/request-fields.ts';
import { OPENAI_FORM, type OpenAiCall, type OpenAiEndpoint } from './openai-endpoint.ts';

/** As OpenAI allows. */
const INPUTS_MAX = 2_048;
/** Of one input, as OpenAI allows: tokens become text before a model cuts it. */
const TOKENS_MAX = 8_192;
const ENCODINGS = ['float', 'base64'] as const;

async function handle({ body, services, signal, hold, expect }: OpenAiCall): Promise<Reply> {
  const request = requestObject(body);
  const model = denseModel(services, requiredText(request, 'model'));
  const inputs = await inputsOf(request, services);
  const empty = inputs.findIndex((text) => text.trim() === '');
  if (empty >= 0) throw invalid(`input[${empty}] must not be empty.`);
  const parameters = readEmbedParameters(model, givenParameters(request, model), {
    inputType: 'passage',
    nameOf: (name) => (name === 'dimension' ? 'dimensions' : name),
  });
  const isBase64 = encodingOf(request) === 'base64';
  expect(inputs.length * vectorBytesMin(parameters.dimension ?? 0, isBase64));
  const data = new EmbeddingTexts<Embedding>((each, at) => itemText(each, at, isBase64), hold);
  let tokens = 0;
  // In the model's own batches: one request here may hold many of them.
  for (let at = 0; at < inputs.length; at += model.maxBatchSize) {
    const batch = inputs.slice(at, at + model.maxBatchSize);
    const { embeddings, totalTokens } = await services.inference
      .embed({ model, inputs: batch, parameters }, { signal })
      .catch((error: unknown) => {
        if (!(error instanceof InputTooLong)) throw error;
        throw error.saidOf(`input[${at + error.position}]`, 'parameters');
      });
    tokens += totalTokens;
    await data.add(embeddings);
  }
  const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
  const jsonText = `{"object":"list","data":[${data.joined()}],"model":${JSON.stringify(model.name)},"usage":${usage}}`;
  return { status: 200, jsonText };
}

function denseModel({ inference }: OpenAiCall['services'], name: string): DenseModel {
  const model = inference.model(name);
  if (model?.kind !== 'embed') throw fault('openai-model-not-found', { model: name.slice(0, 100) });
  if (model.vectorType === 'dense') return model;
  throw invalid(`Model '${name}' gives sparse vectors, which the OpenAI form cannot carry; POST /embed can.`);
}

/** A text, texts, a list of tokens, or such lists: some clients send what their tokenizer made of the texts. */
async function inputsOf({ input }: JsonObject, services: OpenAiCall['services']): Promise<readonly string[]> {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input) || input.length === 0) {
    throw invalid('input must be a text, a list of texts, or a list of lists of tokens, and not empty.');
  }
  const items: readonly unknown[] = input;
  if (isTokens(items)) return textsOf([items], services);
  if (items.length > INPUTS_MAX) throw invalid(`input must have at most ${INPUTS_MAX} items.`);
  if (items.every((each) => typeof each === 'string')) return items;
  if (items.every(isTokens)) return textsOf(items, services);
  throw invalid('input must hold texts alone, or lists of tokens alone.');
}

function textsOf(
  lists: readonly (readonly number[])[],
  services: OpenAiCall['services'],
): Promise<readonly string[]> {
  if (lists.some(({ length }) => length > TOKENS_MAX)) {
    throw invalid(`A list of tokens must have at most ${TOKENS_MAX} of them.`);
  }
  return services.textsOfTokens(lists);
}

function isTokens(input: unknown): input is readonly number[] {
  return (
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((each) => typeof each === 'number' && Number.isInteger(each) && each >= 0)
  );
}

function givenParameters({ dimensions, input_type: inputType }: JsonObject, model: DenseModel): JsonObject {
  // A model of one dimension has no such parameter, and clients name it all the same.
  const isOnly = model.dimensions.length === 1 && dimensions === model.dimensions[0];
  return {
    ...((dimensions ?? null) !== null && !isOnly && { dimension: dimensions }),
    ...((inputType ?? null) !== null && { input_type: inputType }),
  };
}

function encodingOf(request: JsonObject): (typeof ENCODINGS)[number] {
  const name = optionalString(request, 'encoding_format') ?? 'float';
  const found = ENCODINGS.find((each) => each === name);
  if (found === undefined) throw invalid(`encoding_format must be ${ENCODINGS.join(' or ')}.`);
  return found;
}

/** Bytes of a vector in the answer: exactly those of base64, and at least those of numbers. */
function vectorBytesMin(dimension: number, isBase64: boolean): number {
  if (!isBase64) return denseTextBytesMin(dimension);
  return 4 * Math.ceil((Float32Array.BYTES_PER_ELEMENT * dimension) / 3);
}

function itemText({ values }: Embedding, index: number, isBase64: boolean): string {
  const shown = isBase64
    ? `"${Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64')}"`
    : float32ArrayText(values);
  return `{"object":"embedding","index":${index},"embedding":${shown}}`;
}

const Tokens = Type.Array(Type.Integer({ minimum: 0 }), { maxItems: TOKENS_MAX });

export const createEmbeddings: OpenAiEndpoint = {
  ...OPENAI_FORM,
  id: 'create_embeddings',
  method: 'POST',
  path: '/v1/embeddings',
  summary: 'Embed texts in the OpenAI form',
  description:
    'Lists of tokens are read in the encoding cl100k_base. Texts count as passages unless input_type says query; longer texts than the model reads are cut.',
  permission: 'data_plane::inference::use',
  body: Type.Object(
    {
      model: Type.String(),
      input: Type.Union([
        Type.String(),
        Type.Array(Type.String(), { minItems: 1, maxItems: INPUTS_MAX }),
        Tokens,
        Type.Array(Tokens, { minItems: 1, maxItems: INPUTS_MAX }),
      ]),
      dimensions: Type.Optional(Type.Integer({ description: 'One that the model has.' })),
      encoding_format: Type.Optional({ ...choice([...ENCODINGS]), default: 'float' }),
      input_type: Type.Optional({
        ...choice([...INPUT_TYPES], 'Not in the form of OpenAI, whose models know no such difference.'),
        default: 'passage',
      }),
    },
    {
      title: 'EmbeddingsRequest',
      examples: [{ model: 'llama-text-embed-v2', input: ['The heron stands in the water.'] }],
    },
  ),
  success: {
    status: 200,
    description: 'One vector per input, in the same order.',
    schema: Type.Object({
      object: Type.Literal('list'),
      data: Type.Array(
        Type.Object({
          object: Type.Literal('embedding'),
          index: Type.Integer({ examples: [0] }),
          embedding: Type.Union(
            [
              Type.Array(Type.Number()),
              Type.String({ description: 'Little-endian 32-bit floats in base64.' }),
            ],
            { examples: [[0.02]] },
          ),
        }),
      ),
      model: Type.String({ examples: ['llama-text-embed-v2'] }),
      usage: Type.Object(
        { prompt_tokens: Type.Integer(), total_tokens: Type.Integer() },
        { examples: [{ prompt_tokens: 6, total_tokens: 6 }] },
      ),
    }),
  },
  faults: ['invalid-argument', 'openai-model-not-found', 'model-unavailable'],
  handle,
};
