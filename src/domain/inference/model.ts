// What a model is to its callers: its name, limits and parameters, whoever computes the answers.
import type { Metric } from '../index-model.ts';

export type ModelParameterType = 'one_of' | 'numeric_range' | 'any';
export type ParameterValueType = 'string' | 'integer' | 'float' | 'boolean';
export type ParameterValue = string | number | boolean;

export interface ModelParameter {
  readonly name: string;
  readonly type: ModelParameterType;
  readonly valueType: ParameterValueType;
  readonly required: boolean;
  /** Exactly with `one_of`. */
  readonly allowedValues?: readonly (string | number)[];
  /** Exactly with `numeric_range`; both ends belong to it. */
  readonly min?: number;
  readonly max?: number;
  /** Exactly when the parameter is optional. */
  readonly default?: ParameterValue;
  /** Absent means true; false for parameters that work and that the listing of models leaves out. */
  readonly listed?: false;
}

interface ModelAttributes {
  readonly name: string;
  readonly shortDescription: string;
  /** Tokens of one input, or of what `limitCounts` says; longer ones are truncated or refused. */
  readonly maxSequenceLength: number;
  /** Inputs or documents of one request. */
  readonly maxBatchSize: number;
  /** Who answers, for people. Says so when it is not the maker of the model. */
  readonly providerName: string;
  readonly parameters: readonly ModelParameter[];
}

interface EmbedAttributes extends ModelAttributes {
  readonly kind: 'embed';
  /** The first is the one a new index takes. */
  readonly metrics: readonly [Metric, ...Metric[]];
}

export interface DenseModel extends EmbedAttributes {
  readonly vectorType: 'dense';
  readonly defaultDimension: number;
  /** Ascending; holds the default. */
  readonly dimensions: readonly number[];
}

export interface SparseModel extends EmbedAttributes {
  readonly vectorType: 'sparse';
}

export interface RerankModel extends ModelAttributes {
  readonly kind: 'rerank';
  readonly rankFieldsMax: number;
  /** Whether the limit of tokens is that of a document or of query and document together. */
  readonly limitCounts: 'pair' | 'document';
}

export type EmbedModel = DenseModel | SparseModel;
export type Model = EmbedModel | RerankModel;
export type ModelKind = Model['kind'];

export const MODALITY = 'text';

export function isEmbedModel(model: Model): model is EmbedModel {
  return model.kind === 'embed';
}

export function isRerankModel(model: Model): model is RerankModel {
  return model.kind === 'rerank';
}
