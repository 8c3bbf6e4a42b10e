// A model as its callers see it: its name, limits and parameters, whichever provider serves it.
import type { Metric } from '../index-model.ts';

export type ModelParameterType = 'one_of' | 'numeric_range' | 'any';
export type ParameterValueType = 'string' | 'integer' | 'float' | 'boolean';
export type ParameterValue = string | number | boolean;

export interface ModelParameter {
  readonly name: string;
  readonly type: ModelParameterType;
  readonly valueType: ParameterValueType;
  readonly required: boolean;
  /** Present exactly with `one_of`. */
  readonly allowedValues?: readonly (string | number)[];
  /** Present exactly with `numeric_range`; both ends are included. */
  readonly min?: number;
  readonly max?: number;
  /** Present exactly when the parameter is optional. */
  readonly default?: ParameterValue;
  /** Absent means true; false for parameters that work but that the listing of models omits. */
  readonly listed?: false;
}

interface ModelAttributes {
  readonly name: string;
  readonly shortDescription: string;
  /** Tokens of one input, or of what `limitCounts` names; longer ones are truncated or refused. */
  readonly maxSequenceLength: number;
  /** What parameters of requests cannot exceed, because the operator said so of the provider; absent without such. */
  readonly providerTokensMax?: number;
  /** Inputs or documents of one request. */
  readonly maxBatchSize: number;
  /** The provider, in words for people. States when it is not the vendor of the model. */
  readonly providerName: string;
  readonly parameters: readonly ModelParameter[];
}

interface EmbedAttributes extends ModelAttributes {
  readonly kind: 'embed';
  /** The first is the default of a new index. */
  readonly metrics: readonly [Metric, ...Metric[]];
}

export interface DenseModel extends EmbedAttributes {
  readonly vectorType: 'dense';
  readonly defaultDimension: number;
  /** Ascending; includes the default. */
  readonly dimensions: readonly number[];
}

export interface SparseModel extends EmbedAttributes {
  readonly vectorType: 'sparse';
}

export interface RerankModel extends ModelAttributes {
  readonly kind: 'rerank';
  readonly rankFieldsMax: number;
  /** Whether the token limit applies to a document or to query and document together. */
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
