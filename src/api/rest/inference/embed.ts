// POST /embed: embeds texts.

import { invalid } from '../../../domain/faults.ts';
import { checkInputs } from '../../../domain/inference/check-texts.ts';
import { embedModel } from '../../../domain/inference/find-model.ts';
import { readEmbedParameters } from '../../../domain/inference/read-parameters.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { denseTextBytesMin, EmbeddingTexts, embeddingText } from './embedding-text.ts';
import type { InferenceCall, InferenceEndpoint } from './inference-endpoint.ts';
import { parametersOf, requestObject, requiredList, requiredText } from './request-parts.ts';
import { EmbedParameters, UsageTokens } from './schemas.ts';

async function handle({
  body,
  services: { inference },
  signal,
  hold,
  expect,
}: InferenceCall): Promise<Reply> {
  const request = requestObject(body);
  const model = embedModel(inference, requiredText(request, 'model'));
  const inputs = requiredList(request, 'inputs').map(textOf);
  checkInputs(model, inputs);
  const parameters = readEmbedParameters(model, parametersOf(request));
  expect(inputs.length * denseTextBytesMin(parameters.dimension ?? 0));
  const { embeddings, totalTokens } = await inference.embed({ model, inputs, parameters }, { signal });
  const data = new EmbeddingTexts(embeddingText, hold);
  await data.add(embeddings);
  const head = `"model":${JSON.stringify(model.name)},"vector_type":"${model.vectorType}"`;
  return {
    status: 200,
    jsonText: `{${head},"data":[${data.joined()}],"usage":{"total_tokens":${totalTokens}}}`,
  };
}

/** SDKs send objects; other callers may send the text itself. */
function textOf(input: unknown, position: number): string {
  const text = isJsonObject(input) ? input.text : input;
  if (typeof text !== 'string') throw invalid(`inputs[${position}] must be an object with a text.`);
  return text;
}

const Sparse = Type.Object({
  vector_type: Type.Literal('sparse'),
  sparse_values: Type.Array(Type.Number()),
  sparse_indices: Type.Array(Type.Integer(), { description: 'Indices of the values, ascending.' }),
  sparse_tokens: Type.Optional(Type.Array(Type.String(), { description: 'Only with return_tokens.' })),
});

export const embed: InferenceEndpoint = {
  id: 'embed',
  method: 'POST',
  path: '/embed',
  tag: 'Inference',
  summary: 'Embed texts',
  description: 'One vector per input, in the same order.',
  since: '2024-10',
  permission: 'data_plane::inference::use',
  errors: 'standard',
  body: Type.Object(
    {
      model: Type.String(),
      inputs: Type.Array(Type.Object({ text: Type.String() }), {
        minItems: 1,
        description: "At most the model's max_batch_size.",
      }),
      parameters: Type.Optional(EmbedParameters),
    },
    {
      title: 'EmbedRequest',
      examples: [
        {
          model: 'multilingual-e5-large',
          inputs: [{ text: 'A heron stands in the water.' }],
          parameters: { input_type: 'passage', truncate: 'END' },
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The vectors.',
    schema: Type.Object({
      model: Type.String({ examples: ['multilingual-e5-large'] }),
      vector_type: Type.String({ enum: ['dense', 'sparse'] }),
      data: Type.Array(
        Type.Union([
          Type.Object({
            vector_type: Type.Literal('dense'),
            values: Type.Array(Type.Number({ examples: [0.02] })),
          }),
          Sparse,
        ]),
      ),
      usage: UsageTokens,
    }),
  },
  faults: ['invalid-argument', 'unknown-model', 'model-unavailable'],
  handle,
};
