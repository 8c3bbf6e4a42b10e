// POST /rerank: orders documents by their relevance to a query.

import { invalid } from '../../../domain/faults.ts';
import { checkQuery, rankedTexts } from '../../../domain/inference/check-texts.ts';
import { rerankModel } from '../../../domain/inference/find-model.ts';
import { readRerankParameters } from '../../../domain/inference/read-parameters.ts';
import { isJsonObject, type JsonObject } from '../../../domain/json.ts';
import type { Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { checkInteger, field, optionalArray } from '../records/request-fields.ts';
import type { InferenceCall, InferenceEndpoint } from './inference-endpoint.ts';
import { bestFirst } from './ranking.ts';
import { requestObject, requiredList, requiredText } from './request-parts.ts';
import { rerankParametersOf } from './rerank-parameters.ts';
import { RerankParameters, UsageUnits } from './schemas.ts';

const RANK_FIELDS_DEFAULT = ['text'];

async function handle({ body, services: { inference }, signal }: InferenceCall): Promise<Reply> {
  const request = requestObject(body);
  const model = rerankModel(inference, requiredText(request, 'model'));
  const query = requiredText(request, 'query');
  checkQuery(query);
  const documents = requiredList(request, 'documents').map(documentOf);
  const texts = rankedTexts(model, documents, rankFieldsOf(request));
  const topN = topNOf(request) ?? documents.length;
  const isShown = returnsDocuments(request);
  const parameters = readRerankParameters(model, rerankParametersOf(request));
  const { scores, rerankUnits } = await inference.rerank(
    { model, query, documents: texts, parameters },
    { signal },
  );
  const data = bestFirst(scores, topN).map(({ index, score }) =>
    isShown ? { index, score, document: documents[index] } : { index, score },
  );
  return { status: 200, body: { model: model.name, data, usage: { rerank_units: rerankUnits } } };
}

function documentOf(document: unknown, position: number): JsonObject {
  if (typeof document === 'string') return { text: document };
  if (!isJsonObject(document)) throw invalid(`documents[${position}] must be an object or a string.`);
  return document;
}

function rankFieldsOf(request: JsonObject): readonly string[] {
  const fields = optionalArray(request, 'rankFields') ?? RANK_FIELDS_DEFAULT;
  return fields.map((name) => {
    if (typeof name !== 'string') throw invalid('rank_fields must be strings.');
    return name;
  });
}

function topNOf(request: JsonObject): number | undefined {
  const topN = field(request, 'topN');
  return topN === undefined
    ? undefined
    : checkInteger(topN, 'top_n', { min: 1, max: Number.MAX_SAFE_INTEGER });
}

function returnsDocuments(request: JsonObject): boolean {
  const returned = field(request, 'returnDocuments') ?? true;
  if (typeof returned !== 'boolean') throw invalid('return_documents must be a boolean.');
  return returned;
}

export const rerank: InferenceEndpoint = {
  id: 'rerank',
  method: 'POST',
  path: '/rerank',
  tag: 'Inference',
  summary: 'Rerank documents',
  description: 'In descending order of relevance. Scores of different models are not comparable.',
  since: '2024-10',
  permission: 'data_plane::inference::use',
  errors: 'standard',
  body: Type.Object(
    {
      model: Type.String(),
      query: Type.String({ minLength: 1 }),
      documents: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        description: "At most the model's max_batch_size.",
      }),
      top_n: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: all.' })),
      return_documents: Type.Optional(Type.Boolean({ default: true })),
      rank_fields: Type.Optional(Type.Array(Type.String(), { default: RANK_FIELDS_DEFAULT })),
      parameters: Type.Optional(RerankParameters),
    },
    {
      title: 'RerankRequest',
      examples: [
        {
          model: 'bge-reranker-v2-m3',
          query: 'birds at the water',
          documents: [{ text: 'A heron stands in the water.' }, { text: 'The train is late.' }],
          top_n: 1,
        },
      ],
    },
  ),
  success: {
    status: 200,
    description: 'The documents in descending order of relevance.',
    schema: Type.Object({
      model: Type.String({ examples: ['bge-reranker-v2-m3'] }),
      data: Type.Array(
        Type.Object({
          index: Type.Integer({ description: 'The position in the request.', examples: [0] }),
          score: Type.Number({ minimum: 0, maximum: 1, examples: [0.87] }),
          document: Type.Optional(
            Type.Record(Type.String(), Type.Unknown(), {
              description: 'Unless return_documents is false.',
              examples: [{ text: 'A heron stands in the water.' }],
            }),
          ),
        }),
      ),
      usage: UsageUnits,
    }),
  },
  faults: ['invalid-argument', 'unknown-model', 'model-unavailable'],
  handle,
};
