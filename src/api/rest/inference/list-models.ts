// GET /models: lists the embedding and reranking models.
import { invalid } from '../../../domain/faults.ts';
import { isEmbedModel, type Model } from '../../../domain/inference/model.ts';
import type { QueryValues, Reply } from '../../endpoint.ts';
import { Type } from '../../schema/type.ts';
import { queryString } from '../records/request-fields.ts';
import type { InferenceCall, InferenceEndpoint } from './inference-endpoint.ts';
import { modelToWire } from './model-wire.ts';
import { ModelInfo } from './schemas.ts';

const KINDS = ['embed', 'rerank'] as const;
const VECTOR_TYPES = ['dense', 'sparse'] as const;

async function handle({ query, services: { inference } }: InferenceCall): Promise<Reply> {
  const isWanted = filterOf(query);
  return { status: 200, body: { models: inference.models().filter(isWanted).map(modelToWire) } };
}

function filterOf(query: QueryValues): (model: Model) => boolean {
  const kind = oneOf(query, 'type', KINDS);
  const vectorType = oneOf(query, 'vectorType', VECTOR_TYPES);
  if (kind === 'rerank' && vectorType !== undefined) {
    throw invalid('vector_type applies to embedding models only; omit it with type=rerank.');
  }
  return (model) =>
    (kind === undefined || model.kind === kind) &&
    (vectorType === undefined || (isEmbedModel(model) && model.vectorType === vectorType));
}

function oneOf<Value extends string>(
  query: QueryValues,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = queryString(query, name);
  if (text === undefined) return undefined;
  const value = values.find((each) => each === text);
  if (value === undefined) {
    const shown = name === 'type' ? name : 'vector_type';
    throw invalid(`${shown} must be ${values.join(' or ')}.`);
  }
  return value;
}

export const listModels: InferenceEndpoint = {
  id: 'list_models',
  method: 'GET',
  path: '/models',
  tag: 'Inference',
  summary: 'List models',
  since: '2025-04',
  permission: 'data_plane::inference::use',
  errors: 'standard',
  query: Type.Object({
    type: Type.Optional(Type.String({ enum: [...KINDS] })),
    vector_type: Type.Optional(
      Type.String({
        enum: [...VECTOR_TYPES],
        description: 'For embedding models only; not with type=rerank.',
      }),
    ),
  }),
  success: {
    status: 200,
    description: 'The models.',
    schema: Type.Object({ models: Type.Array(ModelInfo) }),
  },
  faults: ['invalid-argument'],
  handle,
};
