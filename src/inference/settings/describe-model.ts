// Describes a model with its provider: the properties of the catalogue, adjusted to what the provider does.
import { HOSTED_MODELS } from '../../domain/inference/hosted-models.ts';
import type { DenseModel, EmbedModel, Model, RerankModel } from '../../domain/inference/model.ts';
import { dimension, inputType, returnTokens, truncate } from '../../domain/inference/model-parameters.ts';
import { BUILT_IN_NAME, PLAIN_MODELS } from '../../domain/inference/plain-models.ts';
import { METRICS } from '../../domain/vector-shape.ts';
import { ModelsProblem } from './fields.ts';
import type { ModelAttributes } from './model-attributes.ts';

const TOKENS_DEFAULT = 512;
const INPUTS_DEFAULT = 96;
const DOCUMENTS_DEFAULT = 100;
const RANK_FIELDS_MAX = 100;

export const CATALOGUE: ReadonlyMap<string, Model> = new Map(
  [...HOSTED_MODELS, ...PLAIN_MODELS].map((model) => [model.name, model]),
);
const HOSTED = new Set(HOSTED_MODELS.map(({ name }) => name));

/** A model of the catalogue, served by the built-in one of its kind. */
export function builtInModel(model: Model): Model {
  return HOSTED.has(model.name)
    ? { ...model, providerName: `${BUILT_IN_NAME}, in place of ${model.providerName}` }
    : model;
}

/**
 * A model that the operator configured. A model of the catalogue keeps its kind and parameters, since callers rely on
 * them.
 * @param servedBy name of the provider, for display
 * @throws ModelsProblem when the attributes contradict the catalogue, or are incomplete without it
 */
export function broughtModel(name: string, attributes: ModelAttributes, servedBy: string): Model {
  const listed = CATALOGUE.get(name);
  const model = listed === undefined ? newModel(name, attributes) : { ...listed, ...limitsOf(attributes) };
  refuseContradictions(model, attributes);
  const named = {
    ...model,
    shortDescription: attributes.description ?? model.shortDescription,
    providerName: attributes.providerName ?? servedBy,
  };
  if (named.kind === 'rerank' || named.vectorType === 'sparse') return named;
  return attributes.dimensions === undefined ? named : withDimensions(named, attributes.dimensions);
}

function limitsOf({
  maxTokens,
  maxInputs,
}: ModelAttributes): Partial<Pick<Model, 'maxSequenceLength' | 'maxBatchSize'>> {
  return {
    ...(maxTokens === undefined ? {} : { maxSequenceLength: maxTokens }),
    ...(maxInputs === undefined ? {} : { maxBatchSize: maxInputs }),
  };
}

function newModel(name: string, attributes: ModelAttributes): Model {
  return attributes.type === 'rerank' ? newRerankModel(name, attributes) : newEmbedModel(name, attributes);
}

function newRerankModel(name: string, { maxTokens, maxInputs }: ModelAttributes): RerankModel {
  return {
    name,
    kind: 'rerank',
    shortDescription: `Reranker ${name}.`,
    maxSequenceLength: maxTokens ?? TOKENS_DEFAULT,
    maxBatchSize: maxInputs ?? DOCUMENTS_DEFAULT,
    providerName: '',
    rankFieldsMax: RANK_FIELDS_MAX,
    limitCounts: 'pair',
    parameters: [truncate(['END', 'NONE'], 'END')],
  };
}

function newEmbedModel(
  name: string,
  { vectorType, maxTokens, maxInputs, metric, dimensions }: ModelAttributes,
): EmbedModel {
  const common = {
    name,
    kind: 'embed',
    shortDescription: `Embedding model ${name}.`,
    maxSequenceLength: maxTokens ?? TOKENS_DEFAULT,
    maxBatchSize: maxInputs ?? INPUTS_DEFAULT,
    providerName: '',
  } as const;
  // Many of these treat both input types alike, so the type is optional.
  const parameters = [
    { ...inputType, required: false, default: 'passage' },
    truncate(['END', 'NONE', 'START'], 'END'),
  ];
  if (vectorType === 'sparse') {
    return { ...common, vectorType, metrics: ['dotproduct'], parameters: [...parameters, returnTokens] };
  }
  const [first] = dimensions ?? [];
  if (first === undefined)
    throw new ModelsProblem(`model ${name} needs dimensions, a number or a list of numbers`);
  const preferred = metric ?? 'cosine';
  return {
    ...common,
    vectorType: 'dense',
    defaultDimension: first,
    dimensions: [first],
    metrics: [preferred, ...METRICS.filter((each) => each !== preferred)],
    parameters,
  };
}

function withDimensions(model: DenseModel, given: readonly number[]): DenseModel {
  const dimensions = [...new Set(given)].sort((a, b) => a - b);
  const largest = dimensions.at(-1) ?? model.defaultDimension;
  const defaultDimension = dimensions.includes(model.defaultDimension) ? model.defaultDimension : largest;
  const others = model.parameters.filter(({ name }) => name !== 'dimension');
  const parameters = dimensions.length === 1 ? others : [...others, dimension(dimensions, defaultDimension)];
  return { ...model, dimensions, defaultDimension, parameters };
}

function refuseContradictions(model: Model, { type, vectorType }: ModelAttributes): void {
  if (type !== undefined && type !== model.kind) {
    throw new ModelsProblem(`model ${model.name} is of type ${model.kind}, not ${type}`);
  }
  if (vectorType !== undefined && model.kind === 'embed' && vectorType !== model.vectorType) {
    throw new ModelsProblem(`model ${model.name} makes ${model.vectorType} vectors, not ${vectorType}`);
  }
}
