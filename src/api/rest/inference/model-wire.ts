// The wire form of models.
import { MODALITY, type Model, type ModelParameter } from '../../../domain/inference/model.ts';

type Json = Readonly<Record<string, unknown>>;

export function modelToWire(model: Model): Json {
  return {
    model: model.name,
    short_description: model.shortDescription,
    type: model.kind,
    ...vectorDetails(model),
    modality: MODALITY,
    max_sequence_length: model.maxSequenceLength,
    max_batch_size: model.maxBatchSize,
    provider_name: model.providerName,
    supported_parameters: model.parameters.filter(({ listed }) => listed !== false).map(parameterToWire),
  };
}

function vectorDetails(model: Model): Json {
  if (model.kind === 'rerank') return {};
  const details = { vector_type: model.vectorType, supported_metrics: model.metrics };
  if (model.vectorType === 'sparse') return details;
  return { ...details, default_dimension: model.defaultDimension, supported_dimensions: model.dimensions };
}

/** Facts that a parameter lacks are left out by JSON. */
function parameterToWire({ name, type, valueType, required, allowedValues, ...rest }: ModelParameter): Json {
  return {
    parameter: name,
    type,
    value_type: valueType,
    required,
    allowed_values: allowedValues,
    min: rest.min,
    max: rest.max,
    default: rest.default,
  };
}
