// How an index becomes integrated, and what may change later.

import { fault, invalid } from '../faults.ts';
import type { Index, Metric } from '../index-model.ts';
import { type EmbedModel, isEmbedModel } from '../inference/model.ts';
import { quoted } from '../quoted.ts';
import type { VectorShape } from '../vector-shape.ts';
import { currentSource, type ModelListing } from './current-source.ts';
import type { EmbeddingSource } from './embedding-source.ts';
import type { IndexEmbedding } from './index-embedding.ts';
import { changedParameters, type GivenParameters, storedParameters } from './stored-parameters.ts';
import { checkTextField, withTextField } from './text-field.ts';

/** The requested embedding; absent parts take their defaults or keep their values. */
export interface RequestedEmbedding {
  readonly model?: string | undefined;
  readonly fieldMap?: Readonly<Record<string, unknown>> | undefined;
  /** Matched in any case: other listings of models capitalize them. */
  readonly metric?: string | undefined;
  readonly dimension?: number | undefined;
  readonly writeParameters?: GivenParameters | undefined;
  readonly readParameters?: GivenParameters | undefined;
}

/** Determines vectors and embedding of a new index. @throws model-not-found, invalid-argument */
export function newEmbedding(
  listing: ModelListing,
  requested: RequestedEmbedding & { readonly model: string },
): { readonly shape: VectorShape; readonly embed: IndexEmbedding } {
  const { model, source } = installed(listing, requested.model);
  const shape = shapeFor(model, requested);
  return { shape, embed: embeddingOf(model, requested, { source, dimension: shape.dimension }) };
}

/**
 * Determines the embedding after a change: a plain index becomes integrated, an integrated one may take another
 * field and other parameters.
 * @throws model-not-found, invalid-argument, model-change-under-way
 */
export function changedEmbedding(
  listing: ModelListing,
  index: Index,
  requested: RequestedEmbedding,
): IndexEmbedding {
  if (index.documents !== null) {
    throw invalid(`The fields of index ${index.name} are set by its schema, which cannot be changed.`);
  }
  refuseFixed(index, requested);
  return index.embed === null ? integrated(listing, index, requested) : adjusted(listing, index, requested);
}

function integrated(listing: ModelListing, index: Index, requested: RequestedEmbedding): IndexEmbedding {
  if (requested.model === undefined) {
    throw invalid('The index has no integrated embedding that could be configured; a model is required.');
  }
  if (index.deployment.kind === 'pod') {
    throw invalid(`Index ${index.name} is a pod index; integrated embedding is not available for it.`);
  }
  const { model, source } = installed(listing, requested.model);
  if (model.vectorType !== index.vectorType) {
    throw invalid(
      `Model '${model.name}' makes ${model.vectorType} vectors; index ${index.name} holds ${index.vectorType} ones.`,
    );
  }
  if (model.vectorType === 'dense' && !model.dimensions.includes(index.dimension ?? 0)) {
    throw invalid(
      `Model '${model.name}' makes vectors of dimension ${model.dimensions.join(', ')}; index ${index.name} has ${index.dimension}.`,
    );
  }
  supportedMetric(model, index.metric);
  return embeddingOf(model, requested, { source, dimension: index.dimension });
}

function adjusted(listing: ModelListing, index: Index, requested: RequestedEmbedding): IndexEmbedding {
  const { embed, dimension } = index;
  if (embed === null) throw new Error('only an integrated index can be adjusted');
  if (requested.model !== undefined && requested.model !== embed.model) {
    throw invalid(
      `The model of an integrated index cannot be changed; index ${index.name} has ${embed.model}.`,
    );
  }
  const { writeParameters, readParameters, fieldMap } = requested;
  const kept = fieldMap === undefined ? embed : withTextField(embed, checkTextField(fieldMap));
  // A record without a text has one vector in both sets. By another field it could have a text, and would keep that.
  if (index.modelChange !== undefined && kept.textField !== embed.textField)
    throw fault('model-change-under-way', { index: index.name });
  if (writeParameters === undefined && readParameters === undefined) return kept;
  const { model } = installed(listing, embed.model);
  const write = { path: 'write_parameters', dimension } as const;
  const read = { path: 'read_parameters', dimension } as const;
  return {
    ...kept,
    writeParameters: changedParameters(
      model,
      { stored: embed.writeParameters, given: writeParameters },
      write,
    ),
    readParameters: changedParameters(model, { stored: embed.readParameters, given: readParameters }, read),
  };
}

function embeddingOf(
  model: EmbedModel,
  { fieldMap = {}, writeParameters = {}, readParameters = {} }: RequestedEmbedding,
  { source, dimension }: { readonly source: EmbeddingSource; readonly dimension: number | null },
): IndexEmbedding {
  return {
    model: model.name,
    textField: checkTextField(fieldMap),
    writeParameters: storedParameters(model, writeParameters, { path: 'write_parameters', dimension }),
    readParameters: storedParameters(model, readParameters, { path: 'read_parameters', dimension }),
    source,
    remaking: null,
  };
}

function installed(listing: ModelListing, name: string) {
  const current = currentSource(listing, name);
  if (current === null) {
    const supported = listing.models().filter(isEmbedModel);
    throw fault('model-not-found', {
      name: quoted(name),
      supported: supported.map((model) => model.name).join(', '),
    });
  }
  return current;
}

function shapeFor(model: EmbedModel, requested: RequestedEmbedding): VectorShape {
  const metric = requested.metric === undefined ? model.metrics[0] : supportedMetric(model, requested.metric);
  const dimension =
    requested.dimension ?? dimensionAmong(requested.writeParameters, requested.readParameters);
  if (model.vectorType === 'sparse') {
    if (dimension !== undefined) {
      throw invalid(`dimension must not be given for model '${model.name}', which is sparse.`);
    }
    return { vectorType: 'sparse', metric, dimension: null };
  }
  const { dimensions, defaultDimension } = model;
  if (dimension !== undefined && !dimensions.includes(dimension)) {
    throw invalid(
      `dimension must be one of ${dimensions.join(', ')} for model '${model.name}', got ${dimension}.`,
    );
  }
  return { vectorType: 'dense', metric, dimension: dimension ?? defaultDimension };
}

/** Some callers give the dimension only among the parameters. */
function dimensionAmong(...given: readonly (GivenParameters | undefined)[]): number | undefined {
  const named = given.map((each) => each?.dimension).find((each) => each !== undefined && each !== null);
  return named === undefined ? undefined : Number(named);
}

function supportedMetric(model: EmbedModel, requested: string): Metric {
  const metric = model.metrics.find((each) => each === requested.toLowerCase());
  if (metric !== undefined) return metric;
  throw invalid(
    `Metric ${quoted(requested)} is not supported by model '${model.name}'. Supported metrics: ${model.metrics.join(', ')}.`,
  );
}

/** Repeating the present value is not a change. */
function refuseFixed(index: Index, { metric, dimension }: RequestedEmbedding): void {
  if (metric !== undefined && metric.toLowerCase() !== index.metric) {
    throw invalid('metric of an index cannot be changed.');
  }
  if (dimension !== undefined && dimension !== index.dimension) {
    throw invalid('dimension of an index cannot be changed.');
  }
}
