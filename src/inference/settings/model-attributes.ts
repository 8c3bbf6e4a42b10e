// Attributes of a model from settings or its folder, which complete or override the catalogue.
import type { Metric } from '../../domain/index-model.ts';
import { DIMENSION_MAX, DIMENSION_MIN } from '../../domain/limits.ts';
import { METRICS } from '../../domain/vector-shape.ts';
import type { Fields } from './fields.ts';

export interface Prefixes {
  readonly query: string;
  readonly passage: string;
}

/** Absent attributes come from the catalogue or from defaults. */
export interface ModelAttributes {
  readonly type: 'embed' | 'rerank' | undefined;
  readonly vectorType: 'dense' | 'sparse' | undefined;
  readonly dimensions: readonly number[] | undefined;
  readonly maxTokens: number | undefined;
  readonly maxInputs: number | undefined;
  readonly metric: Metric | undefined;
  readonly description: string | undefined;
  readonly providerName: string | undefined;
}

const TOKENS_MAX = 1_000_000;
const INPUTS_MAX = 1_000;

/** @throws ModelsProblem */
export function readModelAttributes(fields: Fields): ModelAttributes {
  return {
    type: fields.choice('type', ['embed', 'rerank']),
    vectorType: fields.choice('vector_type', ['dense', 'sparse']),
    dimensions: fields.wholeNumbers('dimensions', [DIMENSION_MIN, DIMENSION_MAX]),
    maxTokens: fields.wholeNumber('max_tokens', [8, TOKENS_MAX]),
    maxInputs: fields.wholeNumber('max_inputs', [1, INPUTS_MAX]),
    metric: fields.choice('metric', METRICS),
    description: fields.text('description'),
    providerName: fields.text('provider_name'),
  };
}

/** Reads prefixes for inputs, for models that were trained with them. @throws ModelsProblem */
export function readPrefixes(fields: Fields): Prefixes {
  const given = fields.object('prefixes');
  const prefixes = { query: given?.text('query') ?? '', passage: given?.text('passage') ?? '' };
  given?.refuseOthers();
  return prefixes;
}
