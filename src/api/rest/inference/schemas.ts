// Schemas shared by the inference endpoints.
import { Type } from '../../schema/type.ts';

export const UsageTokens = Type.Object({
  total_tokens: Type.Integer({ minimum: 1, examples: [12] }),
});
export const UsageUnits = Type.Object({
  rerank_units: Type.Integer({ minimum: 1, examples: [1] }),
});

const description = "Only the model's supported_parameters are accepted.";

export const EmbedParameters = Type.Object(
  {
    input_type: Type.Optional(Type.String({ enum: ['query', 'passage'] })),
    truncate: Type.Optional(Type.String({ enum: ['END', 'START', 'NONE'] })),
    dimension: Type.Optional(Type.Integer()),
    return_tokens: Type.Optional(Type.Boolean({ default: false })),
    max_tokens_per_sequence: Type.Optional(Type.Integer()),
  },
  { title: 'EmbedParameters', description },
);

export const RerankParameters = Type.Record(Type.String(), Type.Unknown(), { description });

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

const SupportedParameter = Type.Object({
  parameter: Type.String(),
  type: Type.String({ enum: ['one_of', 'numeric_range', 'any'] }),
  value_type: Type.String({ enum: ['string', 'integer', 'float', 'boolean'] }),
  required: Type.Boolean(),
  allowed_values: Type.Optional(Type.Array(Value)),
  min: Type.Optional(Type.Number()),
  max: Type.Optional(Type.Number()),
  default: Type.Optional(Value),
});

const embedOnly = 'For embedding models only.';
const denseOnly = 'For dense embedding models only.';

export const ModelInfo = Type.Object(
  {
    model: Type.String(),
    short_description: Type.String(),
    type: Type.String({ enum: ['embed', 'rerank'] }),
    vector_type: Type.Optional(Type.String({ enum: ['dense', 'sparse'], description: embedOnly })),
    default_dimension: Type.Optional(Type.Integer({ description: denseOnly })),
    supported_dimensions: Type.Optional(Type.Array(Type.Integer(), { description: denseOnly })),
    modality: Type.String(),
    max_sequence_length: Type.Integer({ description: 'Tokens.' }),
    max_batch_size: Type.Integer(),
    provider_name: Type.String({
      description: 'The provider that serves the model, not necessarily its maker.',
    }),
    supported_metrics: Type.Optional(Type.Array(Type.String(), { description: embedOnly })),
    supported_parameters: Type.Array(SupportedParameter),
  },
  {
    title: 'Model',
    examples: [
      {
        model: 'multilingual-e5-large',
        short_description: 'A multilingual dense embedding model.',
        type: 'embed',
        vector_type: 'dense',
        modality: 'text',
        max_sequence_length: 507,
        max_batch_size: 96,
        provider_name: 'Pinyon',
        supported_metrics: ['cosine', 'euclidean'],
        default_dimension: 1024,
        supported_dimensions: [1024],
        supported_parameters: [
          {
            parameter: 'input_type',
            type: 'one_of',
            value_type: 'string',
            required: true,
            allowed_values: ['query', 'passage'],
          },
        ],
      },
    ],
  },
);
